import type { Principal } from "../auth/principal.ts";
import { type Db, dbFor } from "../db/client.ts";
import type { Priority } from "../db/concurrency-limiter.ts";
import type { Contract } from "../wire/contract.ts";

/** `key`: the client's, never stored. `key_hash`: its SHA-256. `fingerprint`: SHA-256 of the request it was used for. */
export type IdempotencyRecord = { key: string; key_hash: string; fingerprint: string };

/** What a verb knows about the request it serves. */
export type Context = {
  principal: Principal;
  tenantId: string;
  operation: string;
  requestId: string;
  /** The caller's address, or null. */
  clientAddress: string | null;
  /** Why a service-role key is used: the caller's `X-Audit-Reason`. */
  auditReason: string | null;
  idempotency: IdempotencyRecord | null;
  /** The versions of the resource that `If-Match` allows. Null: any. */
  allowedVersions: readonly number[] | null;
  /** The version of the resource in the response, once the verb knows it. */
  version: number | null;
  /** What is exported as a file, if anything: recorded as its own security event. */
  exported: { format: string; query: object } | null;
  /** Whether the request only previews a change, asked for by a token or an API key: recorded as its own security event. */
  dryRun: boolean;
  /** Whether this is a later step of a request that the database has already opened. */
  continues: boolean;
  /** What its database calls are for. */
  lane: Priority;
  /** Whether the database has recorded the request: a service-role call leaves one row, whatever its outcome. */
  trail: { written: boolean };
  db: Db;
  /** Headers for the response. */
  reply: Headers;
};

type Given = Pick<Context, "principal" | "tenantId" | "requestId" | "clientAddress"> &
  Partial<Context>;

/** The only way to make a context, for an endpoint or a page; what is left out is empty. */
export function contextFor({ operationId, file, upload }: Contract, given: Given): Context {
  return {
    operation: operationId,
    auditReason: null,
    idempotency: null,
    allowedVersions: null,
    version: null,
    exported: null,
    dryRun: false,
    continues: false,
    lane: file ? "export" : upload ? "import" : "interactive",
    trail: { written: false },
    db: dbFor(given.principal, given.tenantId),
    reply: new Headers(),
    ...given,
  };
}
