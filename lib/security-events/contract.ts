import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { SECURITY_EVENTS } from "../wire/facts.gen.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  person,
  queryBoolean,
  searchedText,
  text,
  time,
  timestamp,
} from "../wire/schema.ts";

export const CREDENTIALS = SECURITY_EVENTS.credential;

const securityEventId = id("sev");
const hash = z.string().meta({
  description: "SHA-256, hexadecimal.",
  example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
});

export const securityEvent = z
  .object({
    id: securityEventId,
    seq: z.int().meta({ description: "Its number in the tenant's audit log.", example: 118 }),
    at: time,
    type: z.string().meta({ example: "api_key.revoked" }),
    actor,
    ...person,
    credential: z.enum(CREDENTIALS).meta({ example: "user" }),
    home_tenant_id: z
      .string()
      .nullable()
      .meta({ description: "The credential's own tenant, if different.", example: null }),
    cross_tenant: z.boolean().meta({
      description: "Whether the credential belongs to another tenant or was used on one.",
      example: false,
    }),
    operation: z.string().nullable().meta({ example: "revokeApiKey" }),
    target: z.string().nullable().meta({
      description: "The target: an ID, or tenant:<id>.",
      example: "key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    }),
    address: z.string().nullable().meta({ example: "203.0.113.7" }),
    request_id: z.string().nullable().meta({ example: "req_5f0c" }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "The reason given.", example: "Laptop lost" }),
    details: z.record(z.string(), z.unknown()).meta({
      description:
        "For a change: each field with `from` and `to`. `target_name` is the target's name " +
        "at the time, unless `name` has it.",
      example: { name: "Nightly export" },
    }),
    hash,
    prev_hash: hash
      .nullable()
      .meta({ description: "The previous event's hash. Null for the first event.", example: null }),
  })
  .meta({ id: "SecurityEvent" });
export type SecurityEvent = z.output<typeof securityEvent>;

const tag = "Security events";

const filters = {
  type: z
    .string()
    .regex(
      /^[a-z_]+(\.[a-z_]+)*(\.\*)?$/,
      "Must be a type such as api_key.revoked, or api_key.* for a whole category.",
    )
    .optional()
    .meta({ description: "A type, or a whole category: api_key.*", example: "api_key.revoked" }),
  actor: text(200).optional().meta({ example: "user:ada" }),
  target: text(200).optional().meta({ example: "key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" }),
  q: searchedText.optional().meta({
    description: "Words in the actor, the target's name or ID, its period or the reason.",
    example: "nightly",
  }),
  cross_tenant: queryBoolean
    .transform((value) => value === "true")
    .optional()
    .meta({
      description: "true: only calls across tenants. false: only calls within the tenant.",
      example: true,
      override: { type: "boolean", enum: undefined },
    }),
  since: timestamp.optional(),
  until: timestamp.optional().meta({ description: "Events before this time." }),
};

const COLUMNS = [
  "seq",
  "at",
  "type",
  "actor",
  "actor_issuer",
  "actor_subject",
  "credential",
  "home_tenant_id",
  "cross_tenant",
  "operation",
  "target",
  "address",
  "request_id",
  "reason",
  "details",
  "id",
  "hash",
  "prev_hash",
] as const;

export const listSecurityEventsContract = contract({
  operationId: "listSecurityEvents",
  method: "GET",
  path: "/v1/security-events",
  tag,
  summary: "List security events, newest first",
  access: needs("read:security-events"),
  query: z.strictObject({ ...pageQuery, ...filters }),
  response: page(securityEvent),
  exported: {
    summary: "Export security events",
    columns: COLUMNS,
    item: securityEvent,
    functions: ["open_security_event_export", "continue_security_event_export"],
  },
});

export const getSecurityEventContract = contract({
  operationId: "getSecurityEvent",
  method: "GET",
  path: "/v1/security-events/{id}",
  tag,
  summary: "Get a security event",
  access: needs("read:security-events"),
  params: z.strictObject({ id: securityEventId }),
  response: securityEvent,
  resource: "unversioned",
});

export const CHAIN_FAULTS = [
  "content_changed",
  "row_missing",
  "order_changed",
  "tail_rewritten",
  "tail_cut",
  "checkpoint_invalid",
  "not_chained",
] as const;

const chainFault = z
  .object({
    reason: z.enum(CHAIN_FAULTS).meta({ example: "content_changed" }),
    seq: z.int().meta({
      description: "The number of the first event that fails verification.",
      example: 118,
    }),
    event_id: z.string().nullable().meta({ example: "sev_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" }),
    message: z.string().meta({ example: "Event number 118 was altered." }),
  })
  .meta({ id: "ChainFault" });
export type ChainFault = z.output<typeof chainFault>;

export const chainVerification = z
  .object({
    status: z.enum(["intact", "broken"]).meta({ example: "intact" }),
    as_of: time,
    events: z.int().meta({ description: "Number of verified events.", example: 4711 }),
    forgotten_through_seq: z.int().nullable().meta({
      description:
        "Events up to here were purged after their retention period; a signature covers them.",
      example: null,
    }),
    verified_through: z
      .object({ seq: z.int().meta({ example: 4711 }), id: securityEventId, hash })
      .nullable(),
    checkpoint: z
      .object({
        kind: z.enum(["head", "prefix"]),
        seq: z.int().meta({ example: 4711 }),
        hash,
        at: time,
        key_id: z.string().meta({ example: "4f1d2c3b5a697887" }),
        signature: z.string().meta({ description: "Ed25519, base64url.", example: "pLx0cQ" }),
      })
      .nullable()
      .meta({
        description:
          "The latest signed state. Save it to prove later that nothing before it was " +
          "rewritten.",
      }),
    unsigned_events: z
      .int()
      .meta({ description: "Events since the last signed state.", example: 0 }),
    fault: chainFault.nullable().meta({ example: null }),
  })
  .meta({ id: "ChainVerification" });
export type ChainVerification = z.output<typeof chainVerification>;

export const verifySecurityEventsContract = contract({
  operationId: "verifySecurityEvents",
  method: "GET",
  path: "/v1/security-events/verify",
  tag,
  summary: "Verify the audit log",
  description:
    "Checks every event in the tenant's audit log against its signed states and returns the " +
    "first one that fails.",
  access: needs("read:security-events"),
  functions: ["open_security_event_chain", "walk_security_event_chain"],
  response: chainVerification,
});
