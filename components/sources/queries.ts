import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import { listSourceBalancesContract } from "#lib/sources/balances/contract.ts";
import { getSourceContract, listSourcesContract } from "#lib/sources/contract.ts";
import type { SourceSearch } from "./search.ts";

const PAGE_SIZE = 50;
const BALANCES_SHOWN = 10;
const PERIODS_READ = 10;
const REFRESH_MS = 15_000;

/** The cache key of a tenant's sources. */
export const sourcesKey = (tenant: string) => resourceKey(tenant, "sources");

export function sourcePages(tenant: string, { kind, q }: Omit<SourceSearch, "new">) {
  return listQuery(
    {
      keyPrefix: sourcesKey(tenant),
      contract: listSourcesContract,
      call: { tenant, query: queryOf({ kind, q: q.trim(), limit: PAGE_SIZE }) },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

export function sourceById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: sourcesKey(tenant),
      contract: getSourceContract,
      call: { tenant, params: { id } },
    },
    { refetchInterval: REFRESH_MS },
  );
}

/** The balances of a source, newest first. */
export function balancePages(tenant: string, id: string) {
  return listQuery(
    {
      keyPrefix: sourcesKey(tenant),
      contract: listSourceBalancesContract,
      call: { tenant, params: { id }, query: { limit: BALANCES_SHOWN } },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

/** The newest periods that have a source on one side. */
export function periodsWith(tenant: string, side: "left" | "right", sourceId: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "reconciliations"),
    contract: listReconciliationsContract,
    call: { tenant, query: queryOf({ [`${side}_source_id`]: sourceId, limit: PERIODS_READ }) },
  });
}
