import { listQuery, oneQuery, resourceKey } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import {
  getExceptionContract,
  listExceptionHistoryContract,
  listExceptionsContract,
  listSlaExceptionsContract,
} from "#lib/exceptions/contract.ts";
import { getLineContract } from "#lib/lines/contract.ts";
import { getMatchContract } from "#lib/matching/contract.ts";
import type { BoardSearch } from "./search.ts";

/** The first page is rendered with the HTML; later ones are larger, for fast scrolling. */
const PAGE_SIZE = 50;
const NEXT_PAGE_SIZE = 250;
const LONGEST_SEARCH = 200;
const REFRESH_MS = 5000;
const SLOW_REFRESH_MS = 15_000;

/** The cache key of a tenant's exceptions. */
export const exceptionsKey = (tenant: string) => resourceKey(tenant, "exceptions");

/** The cache key of a tenant's boards, for any filters. */
export const boardsKey = (tenant: string) => [...exceptionsKey(tenant), listSlaExceptionsContract.operationId] as const;

/** The board's search as a query of GET /v1/exceptions/sla. */
export function slaQuery({ breach_risk, severity, assigned_to, status, q, sortBy }: BoardSearch) {
  return queryOf({ breach_risk, severity, assigned_to, status, q: q?.trim().slice(0, LONGEST_SEARCH), sortBy, limit: PAGE_SIZE });
}

export function boardPages(tenant: string, search: BoardSearch) {
  return listQuery(
    { under: exceptionsKey(tenant), contract: listSlaExceptionsContract, call: { tenant, query: slaQuery(search) } },
    { next: { limit: String(NEXT_PAGE_SIZE) }, refreshMs: () => REFRESH_MS },
  );
}

/** A reconciliation's exceptions, newest first. */
export function exceptionsOfReconciliation(tenant: string, id: string) {
  return listQuery(
    {
      under: exceptionsKey(tenant),
      contract: listExceptionsContract,
      call: { tenant, query: { reconciliation_id: id, limit: String(PAGE_SIZE) } },
    },
    { refreshMs: () => SLOW_REFRESH_MS },
  );
}

export function exceptionById(tenant: string, id: string) {
  return oneQuery(
    { under: exceptionsKey(tenant), contract: getExceptionContract, call: { tenant, params: { id } } },
    { refetchInterval: REFRESH_MS },
  );
}

export function historyPages(tenant: string, id: string) {
  return listQuery({ under: exceptionsKey(tenant), contract: listExceptionHistoryContract, call: { tenant, params: { id } } });
}

/** The line that an exception is about. */
export function lineById(tenant: string, id: string) {
  return oneQuery({ under: exceptionsKey(tenant), contract: getLineContract, call: { tenant, params: { id } } });
}

/** What is suggested for it. */
export function matchById(tenant: string, id: string) {
  return oneQuery({ under: exceptionsKey(tenant), contract: getMatchContract, call: { tenant, params: { id } } });
}
