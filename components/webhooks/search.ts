import { type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { parseAsId, parseAsMatching, parseAsMoment } from "#components/kit/search-params.ts";
import { WEBHOOK_STATUSES } from "#lib/webhooks/contract.ts";
import { DELIVERY_STATUSES } from "#lib/webhooks/deliveries/contract.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";

/** A complete webhook-id; a partial one finds nothing. */
export const EVENT_ID = /^evt_[0-9a-f]{32}$/;

/**
 * The state in the list's URL: the filter of GET /v1/webhooks, and whether one is being registered.
 */
export const webhookSearch = {
  status: parseAsStringLiteral(WEBHOOK_STATUSES),
  new: parseAsBoolean.withDefault(false),
};

/**
 * The state in a webhook's URL: the filters of GET /v1/webhooks/{id}/deliveries, and the open
 * delivery.
 */
export const deliverySearch = {
  status: parseAsStringLiteral(DELIVERY_STATUSES),
  type: parseAsStringLiteral(EVENT_KINDS),
  event_id: parseAsMatching(EVENT_ID),
  since: parseAsMoment,
  until: parseAsMoment,
  delivery: parseAsId("dlv"),
};

export const DELIVERY_FILTERS = ["status", "type", "event_id", "since", "until"] as const;

/**
 * The state for all deliveries: the filters of GET /v1/webhook-deliveries, and the open one. The
 * filter is called `state`, because on that page `status` is the request log's.
 */
export const allDeliverySearch = {
  state: deliverySearch.status,
  type: deliverySearch.type,
  webhook_id: parseAsId("whk"),
  event_id: deliverySearch.event_id,
  since: deliverySearch.since,
  until: deliverySearch.until,
  delivery: deliverySearch.delivery,
  /** The webhook of the open delivery. */
  webhook: parseAsId("whk"),
};

export const ALL_DELIVERY_FILTERS = [
  "state",
  "type",
  "webhook_id",
  "event_id",
  "since",
  "until",
] as const;

export type AllDeliverySearch = inferParserType<typeof allDeliverySearch>;
export type WebhookSearch = inferParserType<typeof webhookSearch>;
export type DeliverySearch = inferParserType<typeof deliverySearch>;
export type DeliveryFilter = Pick<DeliverySearch, (typeof DELIVERY_FILTERS)[number]>;
