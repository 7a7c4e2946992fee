import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { setServerClock } from "#components/ui/server-clock.ts";
import { getExceptionContract, listExceptionHistoryContract, listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { getExceptionLedgerContract, getSlaReportContract, getTimeToBreachContract } from "#lib/exceptions/sla/contract.ts";
import { listMembersContract } from "#lib/members/contract.ts";
import type { BoardSearch } from "./search.ts";

/** The first page comes with the page itself; who scrolls on wants many. */
const PAGE_SIZE = 50;
const NEXT_PAGE_SIZE = 250;
const LONGEST_SEARCH = 200;
const REFRESH_MS = 5000;
const REPORT_REFRESH_MS = 60_000;
const COUNTS_REFRESH_MS = 15_000;
const MEMBERS_FRESH_MS = 60_000;
const MEMBERS_MAX = 250;

/** Everything of a tenant's exceptions, for invalidation. */
export const exceptionsKey = (tenant: string) => ["tenants", tenant, "exceptions"] as const;

/** Every board of a tenant, whatever its filters. */
export const boardsKey = (tenant: string) => [...exceptionsKey(tenant), "sla"] as const;

/** The board's search as a query of GET /v1/exceptions/sla. */
export function slaQuery({ breach_risk, severity, assigned_to, status, q, sortBy }: BoardSearch) {
  const given = Object.entries({
    breach_risk,
    severity,
    assigned_to,
    status,
    q: q?.trim().slice(0, LONGEST_SEARCH) || null,
    sortBy,
  }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), limit: String(PAGE_SIZE) };
}

/** The board's pages. A refresh asks for every page again, so it comes the less often the more of them are open. */
export function slaPagesQuery(tenant: string, search: BoardSearch) {
  const query = slaQuery(search);
  return infiniteQueryOptions({
    queryKey: [...boardsKey(tenant), query],
    queryFn: async ({ pageParam, signal }) => {
      const next = pageParam === null ? {} : { cursor: pageParam, limit: NEXT_PAGE_SIZE };
      const answer = await callApi(listSlaExceptionsContract, { tenant, query: { ...query, ...next }, signal });
      setServerClock(answer.as_of);
      return answer;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => REFRESH_MS * (state.data?.pages.length ?? 1),
  });
}

export function exceptionQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: [...exceptionsKey(tenant), id],
    queryFn: ({ signal }) => callApi(getExceptionContract, { tenant, params: { id }, signal }),
    refetchInterval: REFRESH_MS,
  });
}

export function historyQuery(tenant: string, id: string) {
  return infiniteQueryOptions({
    queryKey: [...exceptionsKey(tenant), id, "history"],
    queryFn: ({ pageParam, signal }) =>
      callApi(listExceptionHistoryContract, { tenant, params: { id }, query: { cursor: pageParam ?? undefined }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

export function ledgerQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: [...exceptionsKey(tenant), id, "ledger"],
    queryFn: ({ signal }) => callApi(getExceptionLedgerContract, { tenant, params: { id }, signal }),
  });
}

/** The report by day of a period, for its breaches. */
export function breachesQuery(tenant: string, { since, until }: { since: string; until: string }) {
  return queryOptions({
    queryKey: [...exceptionsKey(tenant), "report", since, until],
    queryFn: ({ signal }) => callApi(getSlaReportContract, { tenant, query: { since, until, by: "day" }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REPORT_REFRESH_MS,
  });
}

/** All open exceptions of the tenant, counted by how far they are from their deadline. */
export function timeToBreachQuery(tenant: string) {
  return queryOptions({
    queryKey: [...exceptionsKey(tenant), "time-to-breach"],
    queryFn: ({ signal }) => callApi(getTimeToBreachContract, { tenant, signal }),
    refetchInterval: COUNTS_REFRESH_MS,
  });
}

/** The tenant's members, or those whose name has `q` in it. */
export function membersQuery(tenant: string, q?: string) {
  return queryOptions({
    queryKey: ["tenants", tenant, "members", q ?? null],
    queryFn: ({ signal }) => callApi(listMembersContract, { tenant, query: { q, limit: MEMBERS_MAX }, signal }),
    staleTime: MEMBERS_FRESH_MS,
  });
}
