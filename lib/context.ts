import type { Principal } from "./auth/principal.ts";
import type { Db } from "./db/client.ts";

/** `key`: the client's own, never stored. `key_hash`: its SHA-256. `fingerprint`: SHA-256 of what it was used for. */
export type IdempotencyRecord = { key: string; key_hash: string; fingerprint: string };

/** What a verb knows of the request it serves. */
export type Context = {
  principal: Principal;
  tenantId: string;
  operation: string;
  requestId: string;
  /** The caller's address, null where there is none to speak of. */
  clientAddress: string | null;
  /** Why a service-role key is used: the caller's `X-Audit-Reason`. */
  auditReason: string | null;
  idempotency: IdempotencyRecord | null;
  /** The entity tags of `If-Match`, without their quotes; null where any state will do. */
  ifMatch: readonly string[] | null;
  /** What is exported as a file, if anything: recorded as its own security event. */
  exported: { format: string; query: object } | null;
  /** Whether this is a later step of a request that the database has opened already. */
  continues: boolean;
  /** Whether the database has taken the request down: a service-role call leaves one row, whatever comes of it. */
  trail: { written: boolean };
  db: Db;
  /** Headers for the answer. */
  reply: Headers;
};
