import type { Principal } from "../auth/principal.ts";
import type { Priority } from "../db/call-limits.ts";
import { type Db, dbFor } from "../db/client.ts";
import type { Contract } from "../wire/contract.ts";

/**
 * `key` is the client's and never stored; `key_hash` is its SHA-256; `fingerprint` is the SHA-256
 * of the request it was used for.
 */
export type IdempotencyRecord = { key: string; key_hash: string; fingerprint: string };

/**
 * The state from which a polled list was read: the time of the last change, the time of the read,
 * and the time until which nothing changes by itself, all in ISO 8601.
 */
export type PolledState = { changed_at: string; as_of: string; until: string };

/** What a verb knows about the request it serves. */
export type Context = {
  principal: Principal;
  tenantId: string;
  operation: string;
  requestId: string;
  /** The client's IP address, or null. */
  clientAddress: string | null;
  /** The caller's `X-Audit-Reason` for using the service-role key. */
  auditReason: string | null;
  idempotency: IdempotencyRecord | null;
  /** The resource versions that `If-Match` allows; null allows any. */
  allowedVersions: readonly number[] | null;
  /** The version of the resource in the response, once the verb knows it. */
  version: number | null;
  /** The state of a polled list that the caller already has, by the `ETag` they sent. */
  known: PolledState | null;
  /** The state of a polled list in the response, once the verb has read it. */
  state: PolledState | null;
  /** The list and format of a file export, which is recorded as a security event. */
  exported: { format: string; query: object } | null;
  /** Whether a token or an API key asked for a preview, which is recorded as a security event. */
  dryRun: boolean;
  /** Whether this is a later step of a request that the database has already opened. */
  continues: boolean;
  /** The priority of its database calls. */
  priority: Priority;
  /**
   * Whether the database has recorded the request: a service-role call leaves exactly one row,
   * whatever its outcome.
   */
  trail: { written: boolean };
  /** How long the call waited at the caller's request, which isn't part of its response time. */
  waited: { ms: number };
  /**
   * Checks the caller again, in a call that takes long.
   * @throws ApiError like the check at its start
   */
  reauthenticate: () => Promise<void>;
  /**
   * Returns a signal that aborts once the caller has closed the connection, for a call that waits.
   */
  callerLeft: () => AbortSignal;
  db: Db;
  /** Headers for the response. */
  reply: Headers;
};

const NEVER = new AbortController().signal;

type ContextFields = Pick<Context, "principal" | "tenantId" | "requestId" | "clientAddress"> &
  Partial<Context>;

/**
 * Creates a context for an endpoint or a page. This is the only way to make one; omitted fields are
 * empty.
 */
export function contextFor(
  { operationId, file, upload }: Contract,
  fields: ContextFields,
): Context {
  return {
    operation: operationId,
    auditReason: null,
    idempotency: null,
    allowedVersions: null,
    version: null,
    known: null,
    state: null,
    exported: null,
    dryRun: false,
    continues: false,
    priority: file ? "export" : upload ? "import" : "interactive",
    trail: { written: false },
    waited: { ms: 0 },
    reauthenticate: async () => {},
    callerLeft: () => NEVER,
    db: dbFor(fields.principal, fields.tenantId),
    reply: new Headers(),
    ...fields,
  };
}
