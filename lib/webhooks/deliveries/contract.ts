/** Deliveries: each is one event for one webhook, with its attempts and their results. */
import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { EVENT_KINDS } from "../../wire/event-kinds.ts";
import { WEBHOOK_ATTEMPTS, WEBHOOK_DELIVERIES } from "../../wire/facts.gen.ts";
import { id, page, pageQuery, requestId, time, timestamp } from "../../wire/schema.ts";

export const DELIVERY_STATUSES = ["pending", "sending", "retrying", "delivered", "failed"] as const;
export const ATTEMPT_STATUSES = WEBHOOK_ATTEMPTS.status;
export const ATTEMPT_CAUSES = WEBHOOK_ATTEMPTS.cause;
export const ATTEMPT_FAILURE_KINDS = WEBHOOK_ATTEMPTS.failure_kind;

export const webhookId = id("whk");
const deliveryId = id("dlv");
const eventId = id("evt");
export const milliseconds = z.int().min(0).nullable();

const attempt = z
  .object({
    number: z.int().min(1).meta({ example: 1 }),
    cause: z.enum(ATTEMPT_CAUSES),
    status: z.enum(ATTEMPT_STATUSES).meta({
      description:
        "interrupted: we stopped before the response arrived; the delivery was sent again.",
      example: "failed",
    }),
    failure_kind: z.enum(ATTEMPT_FAILURE_KINDS).nullable().meta({ example: "http_error" }),
    detail: z.string().nullable().meta({
      description: "A sentence explaining what went wrong.",
      example: "The receiver responded with 503.",
    }),
    started_at: time,
    duration_ms: milliseconds.meta({ example: 84 }),
    status_code: z.int().nullable().meta({ example: 503 }),
  })
  .meta({ id: "WebhookAttempt" });

/** One event on its way to one webhook. */
export const delivery = z
  .object({
    id: deliveryId,
    webhook_id: webhookId,
    event_id: eventId.meta({ description: "The header webhook-id, the same on every attempt." }),
    type: z.enum(EVENT_KINDS),
    status: z.enum(DELIVERY_STATUSES),
    failure_kind: z.enum(WEBHOOK_DELIVERIES.failure_kind).nullable().meta({ example: null }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why it wasn't delivered, so far or finally.", example: null }),
    attempt_count: z.int().min(0).meta({ example: 1 }),
    next_attempt_at: time.nullable(),
    created_at: time,
    delivered_at: time.nullable().meta({ example: null }),
    last_attempt: attempt.nullable(),
  })
  .meta({ id: "WebhookDelivery" });
export type Delivery = z.output<typeof delivery>;

const response = z.object({
  headers: z.record(z.string(), z.string()).meta({ example: { "content-type": "text/plain" } }),
  body: z.string().meta({
    description:
      "The first 16 kB. Untrusted text from the receiver: display it as plain text only.",
    example: "try later",
  }),
  truncated: z.boolean(),
});

export const deliveryDetail = delivery
  .extend({
    payload: z
      .object({
        type: z.enum(EVENT_KINDS),
        timestamp: time,
        test: z
          .literal(true)
          .optional()
          .meta({ description: "Only on a test with example data.", example: true }),
        data: z.record(z.string(), z.unknown()).meta({ example: {} }),
      })
      .nullable()
      .meta({
        description: "The body sent. Null for an API key without the scope to read it.",
        example: { type: "webhook.test", timestamp: "2026-11-20T09:30:00.000Z", data: {} },
      }),
    request_id: z.string().nullable().meta({
      description: "The request that caused the event. Null: the clock or a background job did.",
      example: null,
    }),
    attempts: z
      .array(
        attempt.extend({
          response: response.nullable().meta({
            description:
              "Null without a response, and if `payload` is null, because it can repeat the " +
              "event.",
          }),
        }),
      )
      .meta({ description: "Oldest first." }),
  })
  .meta({ id: "WebhookDeliveryDetail" });
export type DeliveryDetail = z.output<typeof deliveryDetail>;

export const tag = "Webhooks";
export const idempotency = { field: "idempotency_key", required: false } as const;
export const ofWebhook = z.strictObject({ id: webhookId });
const ofDelivery = z.strictObject({ id: webhookId, deliveryId });

const filters = {
  status: z.enum(DELIVERY_STATUSES).optional(),
  type: z.enum(EVENT_KINDS).optional(),
  event_id: eventId
    .optional()
    .meta({ description: "The webhook-id header, as logged by the receiver." }),
  since: timestamp.optional(),
  until: timestamp.optional(),
};

export const listDeliveriesContract = contract({
  operationId: "listDeliveries",
  method: "GET",
  path: "/v1/webhook-deliveries",
  tag,
  summary: "List all webhooks' deliveries, newest first",
  description: "Deliveries are kept for 30 days.",
  access: needs("read:webhooks"),
  query: z.strictObject({
    ...pageQuery,
    webhook_id: webhookId.optional(),
    ...filters,
    request_id: requestId
      .optional()
      .meta({ description: "Only deliveries of events that this request caused." }),
  }),
  response: page(delivery).extend({ as_of: time }),
});

export const listWebhookDeliveriesContract = contract({
  operationId: "listWebhookDeliveries",
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries",
  tag,
  summary: "List a webhook's deliveries, newest first",
  description: "Deliveries are kept for 30 days.",
  access: needs("read:webhooks"),
  params: ofWebhook,
  query: z.strictObject({ ...pageQuery, ...filters }),
  response: page(delivery).extend({ as_of: time }),
});

export const getWebhookDeliveryContract = contract({
  operationId: "getWebhookDelivery",
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries/{deliveryId}",
  tag,
  summary: "Get a delivery with its payload, attempts and responses",
  access: needs("read:webhooks"),
  params: ofDelivery,
  response: deliveryDetail,
  resource: "unversioned",
});

export const resendWebhookDeliveryContract = contract({
  operationId: "resendWebhookDelivery",
  method: "POST",
  path: "/v1/webhooks/{id}/deliveries/{deliveryId}/resend",
  tag,
  summary: "Resend a delivery",
  description:
    "Sends it immediately with the same webhook-id, even if it was delivered. Returns 409 " +
    "while it is being sent or if the webhook is disabled.",
  access: needs("write:webhooks"),
  idempotency,
  params: ofDelivery,
  response: delivery,
  errors: ["conflict"],
});

export const webhookStats = z
  .object({
    as_of: time,
    hours: z
      .array(
        z.object({
          start: time,
          succeeded: z
            .int()
            .min(0)
            .meta({ description: "Attempts answered with a 2xx.", example: 48 }),
          failed: z.int().min(0).meta({ description: "All other attempts.", example: 1 }),
          p50_ms: milliseconds.meta({
            description: "Median response time, within 5 %.",
            example: 84,
          }),
          p95_ms: milliseconds.meta({
            description: "95th percentile of response times, within 5 %.",
            example: 210,
          }),
        }),
      )
      .meta({ description: "The last 7 days. Hours without attempts are omitted." }),
  })
  .meta({ id: "WebhookStats" });
export type WebhookStats = z.output<typeof webhookStats>;

export const getWebhookStatsContract = contract({
  operationId: "getWebhookStats",
  audience: "dashboard",
  method: "GET",
  path: "/v1/webhooks/{id}/stats",
  tag,
  summary: "Count a webhook's attempts by hour",
  description: "With response times.",
  access: needs("read:webhooks"),
  params: ofWebhook,
  response: webhookStats,
});

export const getDeliveryStatsContract = contract({
  operationId: "getDeliveryStats",
  audience: "dashboard",
  method: "GET",
  path: "/v1/webhook-deliveries/stats",
  tag,
  summary: "Count all webhooks' attempts by hour",
  description: "With response times.",
  access: needs("read:webhooks"),
  response: webhookStats,
});
