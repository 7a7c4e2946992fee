import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { serverNow } from "#components/ui/server-clock.ts";
import {
  getWebhookContract,
  listWebhooksContract,
  previewWebhookFiltersContract,
  recoverWebhookContract,
  type WebhookFilters,
} from "#lib/webhooks/contract.ts";
import {
  type Delivery,
  getDeliveryStatsContract,
  getWebhookDeliveryContract,
  getWebhookStatsContract,
  listDeliveriesContract,
  listWebhookDeliveriesContract,
} from "#lib/webhooks/deliveries/contract.ts";
import type { EventKind } from "#lib/wire/event-kinds.ts";
import type { AllDeliverySearch, DeliveryFilter, WebhookSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
const STATS_REFRESH_MS = 30_000;
const UNDER_WAY_REFRESH_MS = 1000;
/** Poll closely when a retry is due this soon. */
const SOON_MS = 10_000;

/** The cache key of a tenant's webhooks. */
export const webhooksKey = (tenant: string) => resourceKey(tenant, "webhooks");

/** The cache key of one webhook. */
export const keyOfWebhook = (tenant: string, id: string) => [...webhooksKey(tenant), id] as const;

export function webhookPages(tenant: string, { status }: Pick<WebhookSearch, "status">) {
  return listQuery(
    {
      keyPrefix: webhooksKey(tenant),
      contract: listWebhooksContract,
      call: { tenant, query: queryOf({ status, limit: PAGE_SIZE }) },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

export function webhookById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: keyOfWebhook(tenant, id),
      contract: getWebhookContract,
      call: { tenant, params: { id } },
    },
    { refetchInterval: REFRESH_MS },
  );
}

/**
 * The pages of a webhook's deliveries, newest first. Polled every second while one is in flight.
 */
export function deliveryPages(
  tenant: string,
  id: string,
  { status, type, event_id, since, until }: DeliveryFilter,
) {
  return listQuery(
    {
      keyPrefix: keyOfWebhook(tenant, id),
      contract: listWebhookDeliveriesContract,
      call: {
        tenant,
        params: { id },
        query: queryOf({ status, type, event_id, since, until, limit: PAGE_SIZE }),
      },
    },
    {
      refreshMs: (newest) =>
        newest?.items.some((delivery) => isUnderWay(delivery, Date.parse(newest.as_of)))
          ? UNDER_WAY_REFRESH_MS
          : REFRESH_MS,
    },
  );
}

/** The pages of every webhook's deliveries, newest first. */
export function allDeliveryPages(
  tenant: string,
  { state, type, webhook_id, event_id, since, until }: AllDeliverySearch,
) {
  return listQuery(
    {
      keyPrefix: webhooksKey(tenant),
      contract: listDeliveriesContract,
      call: {
        tenant,
        query: queryOf({
          status: state,
          type,
          webhook_id,
          event_id,
          since,
          until,
          limit: PAGE_SIZE,
        }),
      },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

/** Attempts and response times by hour. */
export function webhookStatsOf(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: keyOfWebhook(tenant, id),
      contract: getWebhookStatsContract,
      call: { tenant, params: { id } },
    },
    { refetchInterval: STATS_REFRESH_MS },
  );
}

/** Like webhookStatsOf, for all webhooks together. */
export function deliveryStatsOf(tenant: string) {
  return singleQuery(
    { keyPrefix: webhooksKey(tenant), contract: getDeliveryStatsContract, call: { tenant } },
    { refetchInterval: STATS_REFRESH_MS },
  );
}

export function deliveryById(tenant: string, id: string, deliveryId: string) {
  return singleQuery(
    {
      keyPrefix: keyOfWebhook(tenant, id),
      contract: getWebhookDeliveryContract,
      call: { tenant, params: { id, deliveryId } },
    },
    {
      refetchInterval: ({ state: { data } }) =>
        data && isUnderWay(data, serverNow()) ? UNDER_WAY_REFRESH_MS : REFRESH_MS,
    },
  );
}

/** How many deliveries would be resent. Never cached: deliveries keep coming in. */
export function missedCount(tenant: string, id: string, since: string) {
  return singleQuery(
    {
      keyPrefix: [...keyOfWebhook(tenant, id), since],
      contract: recoverWebhookContract,
      call: { tenant, params: { id }, body: { since, dry_run: true } },
    },
    { gcTime: 0 },
  );
}

/** The deliveries of the last 7 days that the filters would have sent. */
export function webhookFilterPreview(
  tenant: string,
  body: { events: EventKind[]; filters: WebhookFilters },
) {
  return singleQuery(
    {
      keyPrefix: [...webhooksKey(tenant), "filters"],
      contract: previewWebhookFiltersContract,
      call: { tenant, body },
    },
    { gcTime: 0 },
  );
}

function isUnderWay(
  { status, next_attempt_at }: Pick<Delivery, "status" | "next_attempt_at">,
  nowMs: number,
): boolean {
  if (status === "pending" || status === "sending") return true;
  return next_attempt_at !== null && Date.parse(next_attempt_at) - nowMs < SOON_MS;
}
