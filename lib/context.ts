import type { Principal } from "./auth/principal.ts";
import type { Db } from "./db/client.ts";

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
  /** The client's idempotency key as a hash, and a hash of what it was used for. */
  idempotency: { key_hash: string; fingerprint: string } | null;
  db: Db;
  /** Headers for the answer. */
  reply: Headers;
};
