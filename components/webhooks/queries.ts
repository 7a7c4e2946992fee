import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { serverNow, setServerClock } from "#components/ui/server-clock.ts";
import { getWebhookContract, listWebhooksContract, recoverWebhookContract } from "#lib/webhooks/contract.ts";
import { type Delivery, getWebhookDeliveryContract, listWebhookDeliveriesContract } from "#lib/webhooks/deliveries/contract.ts";
import type { DeliveryFilter, WebhookSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
const UNDER_WAY_REFRESH_MS = 1000;
/** A retry that is due this soon is watched closely. */
const SOON_MS = 10_000;

/** Everything of a tenant's webhooks, for invalidation. */
export const webhooksKey = (tenant: string) => ["tenants", tenant, "webhooks"] as const;

/** The page's search as a query of GET /v1/webhooks. */
export function webhookListQuery({ status }: Pick<WebhookSearch, "status">) {
  return { ...(status && { status }), limit: String(PAGE_SIZE) };
}

export function webhookPagesQuery(tenant: string, search: Pick<WebhookSearch, "status">) {
  const query = webhookListQuery(search);
  return infiniteQueryOptions({
    queryKey: [...webhooksKey(tenant), "list", query],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await callApi(listWebhooksContract, { tenant, query: { ...query, cursor: pageParam ?? undefined }, signal });
      setServerClock(answer.as_of);
      return answer;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => REFRESH_MS * (state.data?.pages.length ?? 1),
  });
}

export function webhookQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: [...webhooksKey(tenant), id],
    queryFn: ({ signal }) => callApi(getWebhookContract, { tenant, params: { id }, signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** The filter as a query of GET /v1/webhooks/{id}/deliveries. */
export function deliveryListQuery({ status, type, event_id }: DeliveryFilter) {
  const given = Object.entries({ status, type, event_id }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), limit: String(PAGE_SIZE) };
}

/** The pages of the log, newest first. While something is under way, it is looked at each second. */
export function deliveryPagesQuery(tenant: string, id: string, filter: DeliveryFilter) {
  const query = deliveryListQuery(filter);
  return infiniteQueryOptions({
    queryKey: [...webhooksKey(tenant), id, "deliveries", query],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await callApi(listWebhookDeliveriesContract, {
        tenant,
        params: { id },
        query: { ...query, cursor: pageParam ?? undefined },
        signal,
      });
      setServerClock(answer.as_of);
      return answer;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const newest = data?.pages[0];
      const moves = newest?.items.some((delivery) => isUnderWay(delivery, Date.parse(newest.as_of)));
      return (moves ? UNDER_WAY_REFRESH_MS : REFRESH_MS) * (data?.pages.length ?? 1);
    },
  });
}

export function deliveryQuery(tenant: string, id: string, deliveryId: string) {
  return queryOptions({
    queryKey: [...webhooksKey(tenant), id, "delivery", deliveryId],
    queryFn: ({ signal }) => callApi(getWebhookDeliveryContract, { tenant, params: { id, deliveryId }, signal }),
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data, serverNow()) ? UNDER_WAY_REFRESH_MS : REFRESH_MS),
  });
}

/** How many deliveries would be sent again: counted anew each time, as they go on meanwhile. */
export function missedQuery(tenant: string, id: string, since: string) {
  return queryOptions({
    queryKey: [...webhooksKey(tenant), id, "missed", since],
    queryFn: ({ signal }) => callApi(recoverWebhookContract, { tenant, params: { id }, body: { since, dry_run: true }, signal }),
    gcTime: 0,
  });
}

function isUnderWay({ status, next_attempt_at }: Pick<Delivery, "status" | "next_attempt_at">, nowMs: number): boolean {
  if (status === "pending" || status === "sending") return true;
  return next_attempt_at !== null && Date.parse(next_attempt_at) - nowMs < SOON_MS;
}
