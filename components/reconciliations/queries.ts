import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { listExceptionsContract } from "#lib/exceptions/contract.ts";
import { getReconciliationContract, listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import type { ReconciliationSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;

/** Everything of a tenant's reconciliations, for invalidation. */
export const reconciliationsKey = (tenant: string) => ["tenants", tenant, "reconciliations"] as const;

/** The page's search as a query of GET /v1/reconciliations. */
export function reconciliationQuery({ status, period_from, period_to }: ReconciliationSearch) {
  const given = Object.entries({ status, period_from, period_to }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), limit: String(PAGE_SIZE) };
}

export function reconciliationPagesQuery(tenant: string, search: ReconciliationSearch) {
  const query = reconciliationQuery(search);
  return infiniteQueryOptions({
    queryKey: [...reconciliationsKey(tenant), "pages", query],
    queryFn: ({ pageParam, signal }) =>
      callApi(listReconciliationsContract, { tenant, query: { ...query, cursor: pageParam ?? undefined }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => REFRESH_MS * (state.data?.pages.length ?? 1),
  });
}

export function reconciliationByIdQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: [...reconciliationsKey(tenant), "one", id],
    queryFn: ({ signal }) => callApi(getReconciliationContract, { tenant, params: { id }, signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** The exceptions that it left, newest first. */
export function reconciliationExceptionsQuery(tenant: string, id: string) {
  const query = { reconciliation_id: id, limit: String(PAGE_SIZE) };
  return infiniteQueryOptions({
    queryKey: ["tenants", tenant, "exceptions", "of-reconciliation", id],
    queryFn: ({ pageParam, signal }) =>
      callApi(listExceptionsContract, { tenant, query: { ...query, cursor: pageParam ?? undefined }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => REFRESH_MS * (state.data?.pages.length ?? 1),
  });
}
