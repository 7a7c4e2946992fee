import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { API_KEYS } from "../wire/facts.gen.ts";
import { normaliseRange } from "../wire/ip-range.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  SECRET_FORMAT,
  tenantId,
  text,
  time,
  timestamp,
} from "../wire/schema.ts";
import { SCOPES } from "../wire/scopes.ts";

export const API_KEY_STATUSES = ["active", "rotating", "expired", "revoked"] as const;
export const GRACE_SECONDS_DEFAULT = 86_400;
const GRACE_SECONDS_MAX = 604_800;

const apiKeyId = id("key");
const keyId = z.string().meta({
  description: "The public part of the credential.",
  example: "tk_1XbZkd0qJm4sPw9RtYv2aC",
});

const scope = z.enum(SCOPES, { error: `Unknown scope. Must be one of: ${SCOPES.join(", ")}.` });
const scopes = z
  .array(scope)
  .min(1)
  .max(SCOPES.length)
  .transform((given) => SCOPES.filter((known) => given.includes(known)))
  .meta({ example: ["read:reconciliations", "write:exceptions"] });

const ipAllowlist = z
  .array(
    z.string().transform((given, context) => {
      const range = normaliseRange(given);
      if (range === null) {
        context.addIssue({
          code: "custom",
          message: "Must be an IPv4 or IPv6 address or CIDR range, for example 203.0.113.0/24.",
        });
        return z.NEVER;
      }
      return range;
    }),
  )
  .max(API_KEYS.ip_allowlist.max)
  .transform((ranges) => [...new Set(ranges)])
  .meta({
    description: "Ranges are normalized: host bits are cleared. Empty means any address.",
    example: ["203.0.113.0/24", "2001:db8::/32"],
  });

const name = text(API_KEYS.name.max).meta({
  description: "The key's name.",
  example: "Nightly ledger export",
});
const description = z
  .string()
  .max(API_KEYS.description.max)
  .nullable()
  .meta({ example: "Runs on the batch server." });
const expiresAt = timestamp.nullable().meta({
  description: "At most 10 years away. Null: never. Setting one is recommended.",
  example: "2030-05-01T00:00:00.000Z",
});

const shared = {
  id: apiKeyId,
  name: z.string().meta({ example: "Nightly ledger export" }),
  key_id: keyId,
  scopes: z.array(z.string()).meta({ example: ["read:reconciliations", "write:exceptions"] }),
  expires_at: time.nullable(),
  ip_allowlist: z.array(z.string()).meta({ example: ["203.0.113.0/24"] }),
  created_at: time,
  created_by: actor,
};

/** The response of create and rotate (spec 2.1), the only ones with the secret. */
export const newApiKey = z
  .object({
    ...shared,
    key_secret: z.string().meta({
      description: "Shown only once. It can't be retrieved again.",
      example: "tks_…",
      override: { format: SECRET_FORMAT },
    }),
    warning: z.string().meta({
      example: "Store key_secret securely now. It is shown only once and can't be retrieved again.",
    }),
  })
  .meta({ id: "NewApiKey" });
export type NewApiKey = z.output<typeof newApiKey>;

/** A key's metadata and usage, never its secret. */
export const apiKey = z
  .object({
    ...shared,
    description: z.string().nullable().meta({ example: null }),
    status: z.enum(API_KEY_STATUSES),
    last_used_at: time.nullable(),
    request_count: z
      .int()
      .min(0)
      .meta({ description: "Accepted calls, up to one second behind.", example: 1204 }),
    calls_by_day: z
      .array(z.int().min(0))
      .length(7)
      .meta({
        description: "Accepted calls on each of the last 7 days (UTC), oldest first.",
        example: [210, 198, 0, 0, 240, 251, 32],
      }),
    last_used_ip: z.string().nullable().meta({ example: "203.0.113.9" }),
    grace_expires_at: time.nullable(),
    rotated_from: apiKeyId.nullable(),
    rotated_to: apiKeyId.nullable(),
    revoked_at: time.nullable(),
    revoked_by: actor.nullable(),
    revoke_reason: z.string().nullable().meta({ example: null }),
    rotation_recommended_at: time,
    unused_scopes: z.array(z.string()).meta({
      description: "Granted but unused for 30 days. Empty for a newer key.",
      example: ["write:exceptions"],
    }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.output<typeof apiKey>;

const calls = z.int().min(0);
const bucket = z.object({ start: time, accepted: calls, refused: calls });

export const apiKeyUsage = z
  .object({
    as_of: time,
    hours: z.array(bucket).meta({
      description:
        "The last 7 days (UTC), as calls_by_day counts them. Hours without calls are omitted.",
    }),
    days: z
      .array(bucket)
      .meta({ description: "The last 90 days (UTC). Days without calls are omitted." }),
    addresses: z
      .array(
        z.object({
          address: z.string().meta({ example: "203.0.113.9" }),
          calls,
          in_grace: calls.meta({ description: "Those made after the key was rotated." }),
          last_seen_at: time,
        }),
      )
      .meta({ description: "The 100 most recent addresses in the last 7 days." }),
    refusals: z.record(z.string(), calls).meta({
      description: "Refused calls in the last 90 days by reason.",
      example: { ip_not_allowed: 3 },
    }),
  })
  .meta({ id: "ApiKeyUsage" });
export type ApiKeyUsage = z.output<typeof apiKeyUsage>;

export const apiKeyImpact = z
  .object({
    since: time,
    calls: calls.meta({ description: "Accepted calls in the last 7 days.", example: 812 }),
    refused: calls.meta({
      description: "Those that the change would have refused.",
      example: 40,
    }),
    by_operation: z.array(
      z.object({ operation: z.string().meta({ example: "createException" }), refused: calls }),
    ),
    by_address: z.array(
      z.object({ address: z.string().meta({ example: "203.0.113.9" }), refused: calls }),
    ),
    webhooks: z
      .array(
        z.object({
          id: id("whk"),
          url: z.string().meta({ example: "https://hooks.example.com/events" }),
        }),
      )
      .meta({
        description:
          "Active webhooks registered by this key, or by a key it was rotated from or to. " +
          "They stay active without it.",
      }),
  })
  .meta({ id: "ApiKeyImpact" });
export type ApiKeyImpact = z.output<typeof apiKeyImpact>;

const tag = "API keys";
const idempotency = { field: "idempotency_key", required: false } as const;
const tenantParam = "id";
const ofTenant = z.strictObject({ id: tenantId });
const ofKey = z.strictObject({ id: tenantId, keyId: apiKeyId });

export const listApiKeysContract = contract({
  operationId: "listApiKeys",
  method: "GET",
  path: "/v1/tenants/{id}/api-keys",
  tag,
  summary: "List API keys, newest first",
  access: needs("read:api-keys"),
  params: ofTenant,
  tenantParam,
  query: z.strictObject({
    ...pageQuery,
    status: z.enum(API_KEY_STATUSES).optional(),
    q: text(API_KEYS.name.max)
      .optional()
      .meta({ description: "Part of the name or key_id, or the ID.", example: "ledger" }),
  }),
  response: page(apiKey).extend({ as_of: time }),
});

export const createApiKeyContract = contract({
  operationId: "createApiKey",
  method: "POST",
  path: "/v1/tenants/{id}/api-keys",
  tag,
  summary: "Create an API key",
  description:
    "This is the only response that includes key_secret. The credential is <key_id>.<key_secret>.",
  access: needs("write:api-keys"),
  idempotency,
  params: ofTenant,
  tenantParam,
  body: z.strictObject({
    name,
    description: description.optional(),
    scopes,
    expires_at: expiresAt.optional(),
    ip_allowlist: ipAllowlist.optional(),
  }),
  response: newApiKey,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const getApiKeyContract = contract({
  operationId: "getApiKey",
  method: "GET",
  path: "/v1/tenants/{id}/api-keys/{keyId}",
  tag,
  summary: "Get an API key's metadata",
  access: needs("read:api-keys"),
  params: ofKey,
  tenantParam,
  response: apiKey,
  resource: "versioned",
});

export const updateApiKeyContract = contract({
  operationId: "updateApiKey",
  method: "PATCH",
  path: "/v1/tenants/{id}/api-keys/{keyId}",
  tag,
  summary: "Change an API key",
  access: needs("write:api-keys"),
  params: ofKey,
  tenantParam,
  body: z
    .strictObject({ name, description, scopes, expires_at: expiresAt, ip_allowlist: ipAllowlist })
    .partial(),
  response: apiKey,
  resource: "versioned",
  errors: ["conflict"],
});

export const revokeApiKeyContract = contract({
  operationId: "revokeApiKey",
  method: "DELETE",
  path: "/v1/tenants/{id}/api-keys/{keyId}",
  tag,
  summary: "Revoke an API key",
  description:
    "Takes effect immediately and can't be undone. Revoking a revoked key returns it unchanged. " +
    "Webhooks it registered stay active, unless disable_webhooks is true.",
  access: needs("write:api-keys"),
  idempotency,
  params: ofKey,
  tenantParam,
  body: z.strictObject({
    reason: z
      .string()
      .max(API_KEYS.revoke_reason.max)
      .nullable()
      .optional()
      .meta({ example: "The server was decommissioned." }),
    disable_webhooks: z.boolean().optional().meta({
      description: "Also disables the webhooks that the key registered, as its impact lists them.",
      example: true,
    }),
  }),
  response: apiKey,
  resource: "versioned",
});

export const rotateApiKeyContract = contract({
  operationId: "rotateApiKey",
  method: "POST",
  path: "/v1/tenants/{id}/api-keys/{keyId}/rotate",
  tag,
  summary: "Rotate an API key",
  description:
    "Returns a successor with its secret. The old key stays valid for the grace period, but " +
    "never past its own expiry.",
  access: needs("write:api-keys"),
  idempotency,
  params: ofKey,
  tenantParam,
  body: z.strictObject({
    grace_period_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS_MAX)
      .default(GRACE_SECONDS_DEFAULT)
      .meta({ description: "In seconds. 0 ends the old key immediately.", example: 3600 }),
  }),
  response: newApiKey,
  status: 201,
  errors: ["conflict"],
});

export const getApiKeyUsageContract = contract({
  operationId: "getApiKeyUsage",
  method: "GET",
  path: "/v1/tenants/{id}/api-keys/{keyId}/usage",
  tag,
  summary: "Get an API key's usage",
  access: needs("read:api-keys"),
  params: ofKey,
  tenantParam,
  response: apiKeyUsage,
});

export const estimateApiKeyImpactContract = contract({
  operationId: "estimateApiKeyImpact",
  audience: "dashboard",
  method: "POST",
  path: "/v1/tenants/{id}/api-keys/{keyId}/impact",
  tag,
  summary: "Preview a change to an API key",
  description:
    "Counts the calls in the last 7 days that the change would have refused. expires_at may be " +
    "in the past here: it refuses calls made after it.",
  access: needs("read:api-keys"),
  idempotency,
  dryRun: "always",
  params: ofKey,
  tenantParam,
  body: z
    .strictObject({
      revoke: z.literal(true),
      scopes,
      expires_at: timestamp.nullable(),
      ip_allowlist: ipAllowlist,
    })
    .partial(),
  response: apiKeyImpact,
});
