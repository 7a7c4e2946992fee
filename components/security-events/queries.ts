import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { getSecurityEventContract, listSecurityEventsContract, verifySecurityEventsContract } from "#lib/security-events/contract.ts";

export const PAGE_SIZE = "100";

export function eventPagesQuery(tenant: string, query: Record<string, string>) {
  return infiniteQueryOptions({
    queryKey: ["security-events", tenant, "list", query],
    queryFn: ({ pageParam, signal }) =>
      callApi(listSecurityEventsContract, { tenant, query: { ...query, limit: PAGE_SIZE, cursor: pageParam ?? undefined }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** It never changes. */
export function eventDetailsQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: ["security-events", tenant, "event", id],
    queryFn: ({ signal }) => callApi(getSecurityEventContract, { tenant, params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Asked when somebody wants to know: it reads all there is. */
export function verificationQuery(tenant: string) {
  return queryOptions({
    queryKey: ["security-events", tenant, "verification"],
    queryFn: ({ signal }) => callApi(verifySecurityEventsContract, { tenant, signal }),
    enabled: false,
    retry: false,
  });
}
