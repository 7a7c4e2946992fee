import { listQuery, resourceKey, singleQuery, versionQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { listConnectionsContract } from "#lib/connections/contract.ts";
import {
  getEntryBatchContract,
  listEntriesContract,
  listEntryBatchesContract,
} from "#lib/entries/contract.ts";
import { getEntryRulesContract } from "#lib/entries/rules/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import type { BatchSearch } from "./search.ts";

const PAGE_SIZE = 50;
const CONNECTIONS_PER_PAGE = 200;
const REFRESH_MS = 15_000;
const OF_PERIOD_SHOWN = 10;

export function entryRulesOf(tenant: string, id: string) {
  return versionQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: getEntryRulesContract,
    call: { tenant, params: { id } },
  });
}

/** The tenant's connections of every kind. */
export function connectionPages(tenant: string) {
  return listQuery({
    keyPrefix: resourceKey(tenant, "connections"),
    contract: listConnectionsContract,
    call: { tenant, query: { limit: CONNECTIONS_PER_PAGE } },
  });
}

export function batchPages(tenant: string, { state, year }: BatchSearch) {
  return listQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: listEntryBatchesContract,
      call: { tenant, query: queryOf({ state, year, limit: PAGE_SIZE }) },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

/** The batches that the closes of a period left, newest first. */
export function batchesOfPeriod(tenant: string, reconciliation_id: string) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: listEntryBatchesContract,
    call: { tenant, query: queryOf({ reconciliation_id, limit: OF_PERIOD_SHOWN }) },
  });
}

export function batchById(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: getEntryBatchContract,
    call: { tenant, params: { id } },
  });
}

export function entryPages(tenant: string, id: string) {
  return listQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: listEntriesContract,
    call: { tenant, params: { id }, query: queryOf({ limit: PAGE_SIZE }) },
  });
}
