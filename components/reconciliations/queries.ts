import { listQuery, oneQuery, resourceKey } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { getReconciliationContract, listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import type { ReconciliationSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;

/** The cache key of a tenant's reconciliations. */
export const reconciliationsKey = (tenant: string) => resourceKey(tenant, "reconciliations");

export function reconciliationPages(tenant: string, { status, period_from, period_to }: Omit<ReconciliationSearch, "new">) {
  return listQuery(
    {
      under: reconciliationsKey(tenant),
      contract: listReconciliationsContract,
      call: { tenant, query: queryOf({ status, period_from, period_to, limit: PAGE_SIZE }) },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

export function reconciliationById(tenant: string, id: string) {
  return oneQuery(
    { under: reconciliationsKey(tenant), contract: getReconciliationContract, call: { tenant, params: { id } } },
    { refetchInterval: REFRESH_MS },
  );
}
