import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { setServerClock } from "#components/ui/server-clock.ts";
import { getExceptionContract, listExceptionHistoryContract, listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { getExceptionLedgerContract, getSlaReportContract } from "#lib/exceptions/sla/contract.ts";
import type { BoardSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
const REPORT_REFRESH_MS = 60_000;

/** Everything of a tenant's exceptions, for invalidation. */
export const exceptionsKey = (tenant: string) => ["tenants", tenant, "exceptions"] as const;

/** The board's search as a query of GET /v1/exceptions/sla. */
export function slaQuery({ breach_risk, severity, assigned_to, status, sortBy }: BoardSearch) {
  const given = Object.entries({ breach_risk, severity, assigned_to, status, sortBy }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), limit: String(PAGE_SIZE) };
}

/** The board's pages. A refresh asks for every page again, so it comes the less often the more of them are open. */
export function slaPagesQuery(tenant: string, search: BoardSearch) {
  const query = slaQuery(search);
  return infiniteQueryOptions({
    queryKey: [...exceptionsKey(tenant), "sla", query],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await callApi(listSlaExceptionsContract, { tenant, query: { ...query, cursor: pageParam ?? undefined }, signal });
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
