import { resourceKey, singleQuery } from "#components/kit/query.ts";
import { listMembersContract } from "#lib/members/contract.ts";

const FRESH_MS = 60_000;
const MAX = 250;

/** The tenant's members, optionally those whose name contains `q`. */
export function membersQuery(tenant: string, q?: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "members"),
      contract: listMembersContract,
      call: { tenant, query: { q, limit: MAX } },
    },
    { staleTime: FRESH_MS },
  );
}
