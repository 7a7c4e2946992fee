import { keepPreviousData } from "@tanstack/react-query";
import { exportFromApi } from "#components/api-client.ts";
import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { getCalendarContract } from "#lib/calendars/contract.ts";
import { listExceptionCommentsContract } from "#lib/exceptions/comments/contract.ts";
import {
  getExceptionContract,
  listExceptionsContract,
  listSlaExceptionsContract,
  OPEN_STATUSES,
} from "#lib/exceptions/contract.ts";
import { listExceptionHistoryContract } from "#lib/exceptions/history/contract.ts";
import { getSlaFacetsContract } from "#lib/exceptions/sla/contract.ts";
import { getLineContract } from "#lib/lines/contract.ts";
import { getMatchContract } from "#lib/matching/contract.ts";
import { getReconciliationContract } from "#lib/reconciliations/contract.ts";
import { type BoardSearch, FILTERS } from "./board/search.ts";

/** The first page is rendered with the HTML; later ones are larger, for fast scrolling. */
const PAGE_SIZE = 50;
const NEXT_PAGE_SIZE = 250;
const MAX_SEARCH_LENGTH = 200;
const REFRESH_MS = 5000;
const SLOW_REFRESH_MS = 15_000;
const NAME_FRESH_MS = 60_000;

/** The cache key of a tenant's exceptions. */
export const exceptionsKey = (tenant: string) => resourceKey(tenant, "exceptions");

/**
 * The cache key of a tenant's boards, for any filters. It is not below the exceptions' key:
 * invalidating that makes a board poll for changes (use-board-poll.ts), instead of reading all
 * loaded pages again.
 */
export const boardsKey = (tenant: string) =>
  [...resourceKey(tenant, "boards"), listSlaExceptionsContract.operationId] as const;

/**
 * Whether the breached rows are folded, so that the board opens on what can still be saved.
 * `unfolded` says that nothing else is open.
 */
export function foldsBreached(
  { state, sortBy, breached, breach_risk, q }: BoardSearch,
  unfolded = false,
): boolean {
  const isByTime = sortBy === "due_at" || sortBy === "breach_risk";
  return state === "open" && isByTime && !(breached ?? unfolded) && breach_risk === null && !q;
}

export const CAN_BE_SAVED = ["high", "medium", "low"] as const;
const listed = (values: readonly string[] | null) =>
  values?.map((value) => value.replaceAll(",", "\\,"));

/** The board's filters in the API's format. */
export function filtersOf(search: BoardSearch) {
  const { state, breach_risk, status, reason_code, q } = search;
  const fits = status?.filter(
    (value) =>
      state === "all" || (state === "open") === OPEN_STATUSES.some((open) => open === value),
  );
  return queryOf({
    ...Object.fromEntries(FILTERS.map((name) => [name, search[name]])),
    breach_risk: state === "open" ? breach_risk : null,
    status: fits,
    reason_code: listed(reason_code),
    q: q?.trim().slice(0, MAX_SEARCH_LENGTH),
  });
}

/** The filters of the board's open exceptions. */
export function openFilters(search: BoardSearch, unfolded = false) {
  return {
    ...filtersOf(search),
    ...(foldsBreached(search, unfolded) && { breach_risk: CAN_BE_SAVED.join() }),
  };
}

/** The board's open exceptions, updated by their changes (use-board-poll.ts). */
export function boardPages(tenant: string, search: BoardSearch, unfolded = false) {
  const query = {
    ...openFilters(search, unfolded),
    sortBy: search.sortBy,
    limit: String(PAGE_SIZE),
  };
  return listQuery(
    {
      keyPrefix: resourceKey(tenant, "boards"),
      contract: listSlaExceptionsContract,
      call: { tenant, query },
    },
    { next: { limit: String(NEXT_PAGE_SIZE) }, refetchOnMount: false },
  );
}

/** The filters of closed exceptions, last closed first, or of all, newest first. */
function pastFilters(search: BoardSearch) {
  return { ...filtersOf(search), ...(search.state === "closed" && { sortBy: "closed_at" }) };
}

/** The pages of closed exceptions, or of all. */
export function pastPages(tenant: string, search: BoardSearch) {
  const query = { ...pastFilters(search), limit: String(PAGE_SIZE) };
  return listQuery(
    { keyPrefix: exceptionsKey(tenant), contract: listExceptionsContract, call: { tenant, query } },
    { next: { limit: String(NEXT_PAGE_SIZE) }, refreshMs: () => SLOW_REFRESH_MS },
  );
}

/** Everything that the board lists, as a CSV file. */
export function exportOfBoard(tenant: string, search: BoardSearch): Promise<Blob> {
  if (search.state === "open")
    return exportFromApi(listSlaExceptionsContract, "csv", {
      tenant,
      query: { ...filtersOf(search), sortBy: search.sortBy },
    });
  return exportFromApi(listExceptionsContract, "csv", { tenant, query: pastFilters(search) });
}

/** The number of exceptions for each value of each filter. */
export function facetsOf(tenant: string, search: BoardSearch) {
  return singleQuery(
    {
      keyPrefix: exceptionsKey(tenant),
      contract: getSlaFacetsContract,
      call: { tenant, query: { ...filtersOf(search), state: search.state } },
    },
    { placeholderData: keepPreviousData, refetchInterval: SLOW_REFRESH_MS },
  );
}

/** How many open exceptions breached since a moment. */
export function facetsSince(tenant: string, breached_from: string) {
  return singleQuery({
    keyPrefix: exceptionsKey(tenant),
    contract: getSlaFacetsContract,
    call: { tenant, query: { breached_from, state: "open" } },
  });
}

/** A reconciliation's exceptions, newest first. */
export function exceptionsOfReconciliation(tenant: string, id: string) {
  return listQuery(
    {
      keyPrefix: exceptionsKey(tenant),
      contract: listExceptionsContract,
      call: { tenant, query: { reconciliation_id: id, limit: String(PAGE_SIZE) } },
    },
    { refreshMs: () => SLOW_REFRESH_MS },
  );
}

export function exceptionById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: exceptionsKey(tenant),
      contract: getExceptionContract,
      call: { tenant, params: { id } },
    },
    { refetchInterval: REFRESH_MS },
  );
}

export function historyPages(tenant: string, id: string) {
  return listQuery({
    keyPrefix: exceptionsKey(tenant),
    contract: listExceptionHistoryContract,
    call: { tenant, params: { id } },
  });
}

/** The cache key of an exception's comments. */
export const commentsKey = (tenant: string, id: string) =>
  [...exceptionsKey(tenant), listExceptionCommentsContract.operationId, { id }] as const;

export function commentPages(tenant: string, id: string) {
  return listQuery(
    {
      keyPrefix: exceptionsKey(tenant),
      contract: listExceptionCommentsContract,
      call: { tenant, params: { id } },
    },
    { refreshMs: () => SLOW_REFRESH_MS },
  );
}

/** The line that an exception is about. */
export function lineById(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: exceptionsKey(tenant),
    contract: getLineContract,
    call: { tenant, params: { id } },
  });
}

/** The suggested match of an exception. */
export function matchById(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: exceptionsKey(tenant),
    contract: getMatchContract,
    call: { tenant, params: { id } },
  });
}

/** A reconciliation, for its name. */
export function reconciliationNameOf(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "names"),
      contract: getReconciliationContract,
      call: { tenant, params: { id } },
    },
    { staleTime: NAME_FRESH_MS },
  );
}

export function calendarById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "names"),
      contract: getCalendarContract,
      call: { tenant, params: { id } },
    },
    { staleTime: NAME_FRESH_MS },
  );
}
