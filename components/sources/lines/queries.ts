import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import {
  getLineContract,
  listLineHistoryContract,
  listLinesContract,
} from "#lib/lines/contract.ts";
import { getMatchContract } from "#lib/matching/contract.ts";
import { getReconciliationContract } from "#lib/reconciliations/contract.ts";
import type { LineSearch } from "./search.ts";

const PAGE_SIZE = 100;
const LATEST = 8;
/**
 * A refresh fetches every loaded page, so the pages of a long list stay unchanged for this long.
 */
const STALE_MS = 60_000;

/** The cache key of a tenant's lines. */
export const linesKey = (tenant: string) => resourceKey(tenant, "lines");

export function linePages(
  tenant: string,
  { line: _, q, reconciliation_id, side, ...search }: LineSearch,
) {
  const query = queryOf({
    ...search,
    q: q.trim(),
    reconciliation_id,
    side: reconciliation_id && side,
    limit: PAGE_SIZE,
  });
  const pages = listQuery({
    keyPrefix: linesKey(tenant),
    contract: listLinesContract,
    call: { tenant, query },
  });
  return { ...pages, staleTime: STALE_MS, refetchOnWindowFocus: false };
}

/** A source's latest lines. */
export function latestLines(tenant: string, sourceId: string) {
  return singleQuery({
    keyPrefix: linesKey(tenant),
    contract: listLinesContract,
    call: { tenant, query: { source_id: sourceId, limit: String(LATEST) } },
  });
}

export function lineById(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: linesKey(tenant),
    contract: getLineContract,
    call: { tenant, params: { id } },
  });
}

/** The history of a line. */
export function lineHistory(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: linesKey(tenant),
    contract: listLineHistoryContract,
    call: { tenant, params: { id } },
  });
}

export function matchById(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: linesKey(tenant),
    contract: getMatchContract,
    call: { tenant, params: { id } },
  });
}

/** The reconciliation whose lines are listed. */
export function reconciliationOfLines(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "reconciliations"),
    contract: getReconciliationContract,
    call: { tenant, params: { id } },
  });
}
