import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { CURRENCIES } from "../wire/currencies.ts";
import { EVENT_KINDS } from "../wire/event-kinds.ts";
import { EXCEPTIONS, WEBHOOKS } from "../wire/facts.gen.ts";
import {
  HEADER_VALUE_MAX,
  HEADERS_MAX,
  headerNameFault,
  headerValueFault,
} from "../wire/receiver-headers.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  SECRET_FORMAT,
  time,
  timestamp,
  userReference,
} from "../wire/schema.ts";
import {
  ATTEMPT_FAILURE_KINDS,
  delivery,
  idempotency,
  milliseconds,
  ofWebhook,
  tag,
  webhookId,
} from "./deliveries/contract.ts";

export const WEBHOOK_STATUSES = WEBHOOKS.status;
export const WEBHOOK_HEALTHS = ["healthy", "degraded", "failing", "disabled", "idle"] as const;
export const SECRET_GRACE_SECONDS_DEFAULT = 86_400;
const SECRET_GRACE_SECONDS_MAX = 604_800;

const eventKind = z.enum(EVENT_KINDS, {
  error: `Unknown event type. Must be one of: ${EVENT_KINDS.join(", ")}.`,
});

const URL_MAX = WEBHOOKS.url.max;

/** A receiver's URL, normalised. */
export const receiverUrl = z.string().transform((input, context) => {
  const message = urlFault(input);
  if (message === null) return new URL(input).href;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const url = receiverUrl.meta({
  description: "An https URL on port 443 or 1024 to 65535, at a public address.",
  example: "https://hooks.example.com/events",
  override: { format: "uri", maxLength: URL_MAX },
});

/** Why a receiver's URL is invalid, or null. */
export function urlFault(input: string): string | null {
  if (!URL.canParse(input))
    return "Must be a complete URL, for example https://hooks.example.com/events.";
  const { protocol, username, password, hash, href, hostname } = new URL(input);
  if (protocol !== "https:" && protocol !== "http:")
    return "Must be a URL that starts with https://.";
  if (username !== "" || password !== "")
    return "Must not contain a user name or password: the signature identifies the sender.";
  // The parser reads 0x7f.1 and １２７.0.0.1 as 127.0.0.1; only someone who hides the address writes
  // it that way.
  if (spelledHost(input) !== hostname && !hostname.includes("xn--"))
    return `Write this host as ${hostname}.`;
  if (hash !== "") return "Must not contain a fragment: it would never be sent.";
  return href.length > URL_MAX ? `Must be at most ${URL_MAX} characters.` : null;
}

function spelledHost(input: string): string | undefined {
  return /^https?:\/\/(\[[^\]]*\]|[^:/?#\\]*)/i.exec(input)?.[1]?.toLowerCase();
}

const events = z
  .array(eventKind)
  .min(1)
  .max(EVENT_KINDS.length)
  .transform((input) => EVENT_KINDS.filter((known) => input.includes(known)))
  .meta({ example: ["exception.sla.at_risk", "exception.sla.breached"] });

const SECRET_MIN = 8;
const SECRET_MAX = 256;
/** Either alphabet of RFC 4648; padding is optional. */
const BASE64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

const secret = z
  .string()
  .check(({ value, issues }) => {
    const message = secretFault(value);
    if (message !== null) issues.push({ code: "custom", input: value, message });
  })
  .meta({
    description:
      "The signing secret: 8 to 256 characters; after `whsec_`, base64. Under 24 bytes the " +
      "response has a warning. Leave it out to have one created and returned in this response " +
      "only.",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    override: { format: SECRET_FORMAT, minLength: SECRET_MIN, maxLength: SECRET_MAX },
  });

/** Why a signing secret is invalid, or null. */
export function secretFault(input: string): string | null {
  if (!isWithin([...input].length, SECRET_MIN, SECRET_MAX) || input.trim() === "")
    return `Must be ${SECRET_MIN} to ${SECRET_MAX} characters, not all of them whitespace.`;
  if (input.trim() !== input)
    return (
      "Remove the white space or line break at its beginning or end: receivers trim it or " +
      "don't, and signatures would fail."
    );
  if (/^v\d+[a-z]?,/.test(input))
    return `Remove "${input.slice(0, input.indexOf(",") + 1)}": it begins a signature, not a secret.`;
  return input.startsWith("whsec_") && !isBase64(input.slice("whsec_".length))
    ? "Must be base64 after whsec_."
    : null;
}

function isBase64(text: string): boolean {
  return BASE64.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
}

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** The maximum number of values that a filter lists. */
export const WEBHOOK_FILTERED_MAX = 20;

/** The events that a webhook gets among those of its types, by their content. */
const filters = z
  .strictObject({
    severity: z
      .array(z.enum(EXCEPTIONS.severity))
      .min(1)
      .max(EXCEPTIONS.severity.length)
      .meta({
        description: "An exception's severity.",
        example: ["critical", "high"],
      }),
    assigned_to: z
      .array(userReference)
      .min(1)
      .max(WEBHOOK_FILTERED_MAX)
      .meta({
        description: "An exception's assignee.",
        example: ["user:ada"],
      }),
    amount: z
      .strictObject({
        currency: z.enum(CURRENCIES).meta({ example: "EUR" }),
        from_minor: z.int().min(0).meta({ description: "The minimum amount.", example: 100_000 }),
      })
      .meta({ description: "An exception's or a match's amount, whatever its sign." }),
    reconciliation_ids: z
      .array(id("rcn"))
      .min(1)
      .max(WEBHOOK_FILTERED_MAX)
      .meta({ description: "Events about one of these periods." }),
    source_ids: z
      .array(id("src"))
      .min(1)
      .max(WEBHOOK_FILTERED_MAX)
      .meta({ description: "Imports of these sources, and events about their periods." }),
  })
  .partial()
  .meta({ id: "WebhookFilters", example: { severity: ["critical", "high"] } });
export type WebhookFilters = z.output<typeof filters>;

const requestedFilters = filters.meta({
  description:
    "Only events that pass all of these filters. A filter ignores events without the field " +
    "it checks. Empty: all events.",
});

const headers = z
  .array(
    z.strictObject({
      name: z
        .string()
        .check(({ value, issues }) => {
          const message = headerNameFault(value);
          if (message !== null) issues.push({ code: "custom", input: value, message });
        })
        .meta({ example: "X-Gateway-Key", override: { minLength: 1, maxLength: 64 } }),
      value: z
        .string()
        .check(({ value, issues }) => {
          const message = headerValueFault(value);
          if (message !== null) issues.push({ code: "custom", input: "", message });
        })
        .optional()
        .meta({
          description: "If omitted in a change, the stored value stays.",
          example: "3f1c0d9be7a84c5f",
          override: { format: SECRET_FORMAT, minLength: 1, maxLength: HEADER_VALUE_MAX },
        }),
    }),
  )
  .max(HEADERS_MAX)
  .refine(
    (all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length,
    "Name each header once.",
  )
  .meta({
    description:
      "Sent with each delivery, for example to a gateway; a change replaces them all. Values are " +
      "stored encrypted and never returned. Not those of the connection or the signature.",
  });

const maxPerMinute = z
  .int()
  .min(WEBHOOKS.max_per_minute.min)
  .max(WEBHOOKS.max_per_minute.max)
  .nullable()
  .meta({
    description: "The maximum number of attempts a minute; others wait. Null: no limit.",
    example: 60,
  });

const oauthSettings = z.strictObject({
  token_url: receiverUrl.meta({
    description: "The token endpoint, under the same rules as the URL.",
    example: "https://login.example.com/oauth/token",
    override: { format: "uri", maxLength: URL_MAX },
  }),
  client_id: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "The client's ID at that endpoint.", example: "client" }),
  scope: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: "The requested scope.", example: "webhooks:write" }),
});

const requestedOauth = oauthSettings
  .extend({
    client_secret: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .meta({
        description: "If omitted in a change, the stored value stays.",
        example: "b7c1e0d9be7a84c5f",
        override: { format: SECRET_FORMAT },
      }),
  })
  .nullable()
  .meta({
    description:
      "OAuth client credentials: deliveries carry a bearer token of that endpoint. The secret is " +
      "stored encrypted and never returned.",
    example: null,
  });

const description = z
  .string()
  .max(WEBHOOKS.description.max)
  .nullable()
  .meta({ example: "Pages the reconciliation desk." });

const performance = z.object({
  attempts: z.int().min(0).meta({ example: 1204 }),
  failures: z.int().min(0).meta({ example: 4 }),
  success_rate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: "Share of attempts. Null if there were none.", example: 0.9967 }),
  p50_ms: milliseconds.meta({ description: "Median response time, within 5 %.", example: 84 }),
  p95_ms: milliseconds.meta({
    description: "95th percentile of response times, within 5 %.",
    example: 210,
  }),
});

/** A webhook in a response, never with its secret. */
export const webhook = z
  .object({
    id: webhookId,
    url: z.string().meta({ example: "https://hooks.example.com/events" }),
    description: z.string().nullable().meta({ example: null }),
    events: z
      .array(z.enum(EVENT_KINDS))
      .meta({ example: ["exception.sla.at_risk", "exception.sla.breached"] }),
    filters: filters.meta({ description: "Which events it gets. Empty: all." }),
    header_names: z
      .array(z.string().max(64))
      .max(HEADERS_MAX)
      .meta({
        description: "The headers sent with its deliveries. Their values are never returned.",
        example: ["X-Gateway-Key"],
      }),
    max_per_minute: maxPerMinute,
    oauth: z
      .object({
        token_url: z.string().max(URL_MAX).meta({
          description: "The token endpoint.",
          example: "https://login.example.com/oauth/token",
        }),
        client_id: z
          .string()
          .max(200)
          .meta({ description: "The client's ID at that endpoint.", example: "client" }),
        scope: z
          .string()
          .max(500)
          .optional()
          .meta({ description: "The requested scope.", example: "webhooks:write" }),
      })
      .nullable()
      .meta({ description: "Where its deliveries get their token.", example: null }),
    status: z.enum(WEBHOOK_STATUSES),
    disabled_at: time.nullable().meta({ example: null }),
    disabled_by: actor.nullable().meta({ example: null }),
    disabled_reason: z
      .enum(WEBHOOKS.disabled_reason)
      .nullable()
      .meta({
        description:
          "manual: by a user; failing: every attempt failed for 5 days; gone: the receiver " +
          "responded with 410.",
        example: null,
      }),
    disabled_detail: z
      .string()
      .nullable()
      .meta({ description: "A sentence explaining why.", example: null }),
    health: z.enum(WEBHOOK_HEALTHS).meta({
      description:
        "failing: no success since failing_since; degraded: under 95 % success in 24 h; idle: " +
        "no attempts in 24 h.",
    }),
    last_24h: performance,
    last_7d: performance,
    failing_since: time
      .nullable()
      .meta({ description: "Every attempt since this time has failed.", example: null }),
    disable_at: time
      .nullable()
      .meta({ description: "A failed attempt after this time disables it.", example: null }),
    last_success_at: time.nullable(),
    last_failure_at: time.nullable().meta({ example: null }),
    last_failure_kind: z.enum(ATTEMPT_FAILURE_KINDS).nullable().meta({
      description: "Why the last attempt failed, while failing. Null otherwise.",
      example: null,
    }),
    next_attempt_at: time
      .nullable()
      .meta({ description: "The next attempt of a waiting delivery.", example: null }),
    missed_since: time.nullable().meta({
      description: "The oldest missed event of the last 30 days. Use recover to resend from here.",
      example: null,
    }),
    secret_changed_at: time.nullable().meta({ description: "The last rotation.", example: null }),
    previous_secret_expires_at: time
      .nullable()
      .meta({ description: "The previous secret also signs until this time.", example: null }),
    created_at: time,
    created_by: actor,
    updated_at: time,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.output<typeof webhook>;

/** The response of operations that set a webhook's secret. */
export const newWebhook = webhook
  .extend({
    secret: z
      .string()
      .optional()
      .meta({
        description: "Only if you sent none. Returned once.",
        example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        override: { format: SECRET_FORMAT },
      }),
    warning: z
      .string()
      .optional()
      .meta({ description: "Only if the secret is short.", example: "This secret is short." }),
  })
  .meta({ id: "NewWebhook" });
export type NewWebhook = z.output<typeof newWebhook>;

export const recovery = z
  .object({
    since: time,
    dry_run: z.boolean(),
    count: z
      .int()
      .min(0)
      .meta({ description: "Deliveries that are resent, or would be.", example: 42 }),
  })
  .meta({ id: "WebhookRecovery" });
export type Recovery = z.output<typeof recovery>;

export const listWebhooksContract = contract({
  operationId: "listWebhooks",
  method: "GET",
  path: "/v1/webhooks",
  tag,
  summary: "List webhooks, newest first",
  access: needs("read:webhooks"),
  query: z.strictObject({ ...pageQuery, status: z.enum(WEBHOOK_STATUSES).optional() }),
  response: page(webhook).extend({ as_of: time }),
});

export const createWebhookContract = contract({
  operationId: "createWebhook",
  method: "POST",
  path: "/v1/webhooks",
  tag,
  summary: "Register a webhook",
  description:
    "Events are signed as Standard Webhooks specifies, with your secret or a generated one. " +
    "Delivery starts with the next event.",
  access: needs("write:webhooks"),
  idempotency,
  body: z.strictObject({
    url,
    description: description.optional(),
    events,
    filters: requestedFilters.optional(),
    headers: headers.optional(),
    max_per_minute: maxPerMinute.optional(),
    oauth: requestedOauth.optional(),
    secret: secret.optional(),
  }),
  response: newWebhook,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const previewWebhookFiltersContract = contract({
  operationId: "previewWebhookFilters",
  method: "POST",
  path: "/v1/webhooks/preview-filters",
  tag,
  summary: "Preview a webhook's filters",
  description:
    "Counts the events of the last 7 days that a webhook with these filters would have " +
    "received.",
  access: needs("write:webhooks"),
  idempotency,
  dryRun: "always",
  body: z.strictObject({ events, filters: requestedFilters.default({}) }),
  response: z
    .object({
      since: time,
      as_of: time,
      total_count: z.int().min(0).meta({ description: "Without the filters.", example: 214 }),
      matched_count: z.int().min(0).meta({ example: 12 }),
      by_type: z
        .array(
          z.object({
            type: z.enum(EVENT_KINDS),
            total_count: z.int().min(0).meta({ description: "Without the filters.", example: 214 }),
            matched_count: z.int().min(0).meta({ example: 12 }),
          }),
        )
        .max(EVENT_KINDS.length)
        .meta({ description: "The same for each type of event." }),
      complete: z.boolean().meta({
        description: "False if only the newest 20,000 events were checked.",
        example: true,
      }),
    })
    .meta({ id: "WebhookFilterPreview" }),
});

export const getWebhookContract = contract({
  operationId: "getWebhook",
  method: "GET",
  path: "/v1/webhooks/{id}",
  tag,
  summary: "Get a webhook and its health",
  resource: "versioned",
  access: needs("read:webhooks"),
  params: ofWebhook,
  response: webhook,
});

export const updateWebhookContract = contract({
  operationId: "updateWebhook",
  method: "PATCH",
  path: "/v1/webhooks/{id}",
  tag,
  summary: "Change, disable or enable a webhook",
  resource: "versioned",
  description:
    "A JSON merge patch; filters and headers are replaced as a whole. Disabling cancels " +
    "pending retries; recover resends them later. reason is stored with the webhook. A new " +
    "host requires the values of all headers again.",
  access: needs("write:webhooks"),
  params: ofWebhook,
  body: z
    .strictObject({
      url,
      description,
      events,
      filters: requestedFilters,
      headers,
      max_per_minute: maxPerMinute,
      oauth: requestedOauth,
      status: z.enum(WEBHOOK_STATUSES),
      reason: z
        .string()
        .max(WEBHOOKS.disabled_detail.max)
        .nullable()
        .meta({ description: "Why it is disabled.", example: "The receiver moves." }),
    })
    .partial()
    .meta({ example: { events: ["exception.sla.breached"] } }),
  response: webhook,
});

export const deleteWebhookContract = contract({
  operationId: "deleteWebhook",
  method: "DELETE",
  path: "/v1/webhooks/{id}",
  tag,
  summary: "Delete a webhook",
  resource: "versioned",
  description:
    "Can't be undone. No more events are sent to it and its signing secret is destroyed.",
  access: needs("write:webhooks"),
  params: ofWebhook,
  response: z.object({ id: webhookId, deleted: z.literal(true) }).meta({ id: "DeletedWebhook" }),
});

export const rotateWebhookSecretContract = contract({
  operationId: "rotateWebhookSecret",
  method: "POST",
  path: "/v1/webhooks/{id}/rotate-secret",
  tag,
  summary: "Rotate a webhook's signing secret",
  description: "During the grace period, both the new and the previous secret sign.",
  showsResource: false,
  access: needs("write:webhooks"),
  idempotency,
  params: ofWebhook,
  body: z.strictObject({
    secret: secret.optional(),
    grace_period_seconds: z
      .int()
      .min(0)
      .max(SECRET_GRACE_SECONDS_MAX)
      .default(SECRET_GRACE_SECONDS_DEFAULT)
      .meta({ description: "In seconds. 0 ends the previous secret immediately.", example: 3600 }),
  }),
  response: newWebhook,
});

export const testWebhookContract = contract({
  operationId: "testWebhook",
  method: "POST",
  path: "/v1/webhooks/{id}/test",
  tag,
  summary: "Send a test event",
  description:
    "Returns the delivery; its attempts show the result. Only this webhook gets the event, " +
    'subscribed or not. Any type except webhook.test has example data, with `"test": ' +
    "true` next to `data`. A disabled webhook returns 409.",
  access: needs("write:webhooks"),
  idempotency,
  params: ofWebhook,
  body: z.strictObject({
    type: eventKind.default("webhook.test").meta({ example: "webhook.test" }),
  }),
  response: delivery,
  status: 201,
  errors: ["conflict"],
});

export const enableWebhookContract = contract({
  operationId: "enableWebhook",
  method: "POST",
  path: "/v1/webhooks/{id}/enable",
  tag,
  summary: "Enable a webhook",
  description:
    "Works whatever disabled it. Missed deliveries aren't resent automatically: recover " +
    "from missed_since.",
  access: needs("write:webhooks"),
  idempotency,
  params: ofWebhook,
  response: webhook,
});

export const recoverWebhookContract = contract({
  operationId: "recoverWebhook",
  method: "POST",
  path: "/v1/webhooks/{id}/recover",
  tag,
  summary: "Recover missed deliveries",
  description:
    "Resends deliveries of events since then that failed or are waiting for a retry. With " +
    "dry_run they are only counted. A disabled webhook returns 409, except with dry_run.",
  access: needs("write:webhooks"),
  idempotency,
  params: ofWebhook,
  body: z.strictObject({
    since: timestamp,
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Only count, send nothing.", example: true }),
  }),
  response: recovery,
  dryRun: "asked",
  errors: ["conflict"],
});
