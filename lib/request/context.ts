import type { Principal } from "../auth/principal.ts";
import { type Db, dbFor } from "../db/client.ts";
import type { Lane } from "../db/lanes.ts";
import type { Contract } from "../wire/contract.ts";

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
  /** The versions of the resource that `If-Match` allows, null where any will do. */
  allowedVersions: readonly number[] | null;
  /** The version of the resource that the answer shows, once the verb knows it. */
  version: number | null;
  /** What leaves as a file, null where nothing does: an event of its own. */
  exported: { format: string; query: object } | null;
  /** Whether the request only asks what a change would do: an event of its own. */
  dryRun: boolean;
  /** Whether this is a later step of a request that the database has opened already. */
  continues: boolean;
  /** What its calls of the database are for. */
  lane: Lane;
  /** Whether the database has recorded the request: a service-role call leaves one row, whatever comes of it. */
  trail: { written: boolean };
  db: Db;
  /** Headers for the answer. */
  reply: Headers;
};

type Given = Pick<Context, "principal" | "tenantId" | "requestId" | "clientAddress"> & Partial<Context>;

/** The one way to a context, for an endpoint and for a page; what is left out is nothing. */
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
