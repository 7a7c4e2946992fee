import { listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import { resourceKey, singleQuery } from "./query.ts";

const NAMED_MAX = 250;
const FRESH_MS = 60_000;

/** The newest reconciliations, to choose from by name. */
export function newestReconciliations(tenant: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "names"),
      contract: listReconciliationsContract,
      call: { tenant, query: { limit: NAMED_MAX } },
    },
    { staleTime: FRESH_MS },
  );
}
