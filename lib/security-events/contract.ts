import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { SECURITY_EVENTS } from "../wire/facts.gen.ts";
import { actor, id, page, pageQuery, person, text, time, timestamp } from "../wire/schema.ts";

export const CREDENTIALS = SECURITY_EVENTS.credential;

const securityEventId = id("sev");
const hash = z
  .string()
  .meta({ description: "SHA-256, hexadecimal.", example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" });

export const securityEvent = z
  .object({
    id: securityEventId,
    seq: z.int().meta({ description: "Its number in the tenant's chain.", example: 118 }),
    at: time,
    type: z.string().meta({ example: "api_key.revoked" }),
    actor,
    ...person,
    credential: z.enum(CREDENTIALS).meta({ example: "user" }),
    home_tenant_id: z
      .string()
      .nullable()
      .meta({ description: "The tenant that the credential belongs to, where that is another one.", example: null }),
    cross_tenant: z
      .boolean()
      .meta({ description: "The credential is not this tenant's own, or was used for another one.", example: false }),
    operation: z.string().nullable().meta({ example: "revokeApiKey" }),
    target: z
      .string()
      .nullable()
      .meta({ description: "What it was done to: an identifier, or tenant:<id>.", example: "key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" }),
    address: z.string().nullable().meta({ example: "203.0.113.7" }),
    request_id: z.string().nullable().meta({ example: "req_5f0c" }),
    reason: z.string().nullable().meta({ description: "The reason that was given.", example: "Laptop lost" }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: "Of a change: each field with `from` and `to`.", example: { name: "Nightly export" } }),
    hash,
    prev_hash: hash.nullable().meta({ description: "The hash of the event before it; null on the first.", example: null }),
  })
  .meta({ id: "SecurityEvent" });
export type SecurityEvent = z.output<typeof securityEvent>;

const tag = "Security events";

const filters = {
  type: z
    .string()
    .regex(/^[a-z_]+(\.[a-z_]+)*(\.\*)?$/, "Give a type, for example api_key.revoked, or api_key.* for all of a kind.")
    .optional()
    .meta({ description: "One type, or all of a kind: api_key.*", example: "api_key.revoked" }),
  actor: text(200).optional().meta({ example: "user:ada" }),
  target: text(200).optional().meta({ example: "key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" }),
  cross_tenant: z
    .enum(["true", "false"])
    .transform((value) => value === "true")
    .optional()
    .meta({ example: "true" }),
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
    seq: z.int().meta({ description: "The first number that does not fit.", example: 118 }),
    event_id: z.string().nullable().meta({ example: "sev_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" }),
    message: z.string().meta({ example: "Event number 118 is not what was written." }),
  })
  .meta({ id: "ChainFault" });
export type ChainFault = z.output<typeof chainFault>;

export const chainVerification = z
  .object({
    status: z.enum(["intact", "broken"]).meta({ example: "intact" }),
    as_of: time,
    events: z.int().meta({ description: "How many events fit.", example: 4711 }),
    forgotten_through_seq: z
      .int()
      .nullable()
      .meta({ description: "Up to here events were forgotten when their time was over; a signature stands for them.", example: null }),
    verified_through: z.object({ seq: z.int().meta({ example: 4711 }), id: securityEventId, hash }).nullable(),
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
      .meta({ description: "The last signed state. Who keeps it can prove later that nothing up to it was rewritten." }),
    unsigned_events: z.int().meta({ description: "Events since the last signed state.", example: 0 }),
    fault: chainFault.nullable().meta({ example: null }),
  })
  .meta({ id: "ChainVerification" });
export type ChainVerification = z.output<typeof chainVerification>;

export const verifySecurityEventsContract = contract({
  operationId: "verifySecurityEvents",
  method: "GET",
  path: "/v1/security-events/verify",
  tag,
  summary: "Verify the chain of security events",
  description: "Walks the tenant's chain from its beginning, against the signed states of it, and names the first event that does not fit.",
  access: needs("read:security-events"),
  functions: ["open_security_event_chain", "walk_security_event_chain"],
  response: chainVerification,
});
