import { createHash } from "node:crypto";
import { z } from "zod";

const text = z.string().nullable();

/**
 * A security event as the texts that its hash is computed from, with the position in the chain that
 * its row claims.
 */
export const chainedEvent = z.object({
  id: z.string(),
  seq: z.string(),
  prev_hash: text,
  hash: text,
  at: z.string(),
  type: z.string(),
  actor: z.string(),
  actor_issuer: text,
  actor_subject: text,
  credential: z.string(),
  home_tenant_id: text,
  cross_tenant: z.string(),
  operation: text,
  target: text,
  address: text,
  request_id: text,
  reason: text,
  details: z.string(),
});
export type ChainedEvent = z.output<typeof chainedEvent>;

/** The chain of events that belong to no tenant. */
export const NO_TENANT = "*";

/**
 * The hash of an event: SHA-256 of a JSON array of texts, as private.security_event_hash computes
 * it in SQL. Events of users use format v2, which includes their identity; others, and events older
 * than v2, use v1.
 */
export function hashOf(chain: string, event: ChainedEvent): string {
  const person = [event.actor_issuer, event.actor_subject];
  const hasPerson = person.some((value) => value !== null);
  const content = [
    `tieout.security_event.${hasPerson ? "v2" : "v1"}`,
    chain === NO_TENANT ? null : chain,
    event.seq,
    event.prev_hash,
    event.id,
    event.at,
    event.type,
    event.actor,
    event.credential,
    event.home_tenant_id,
    event.cross_tenant,
    event.operation,
    event.target,
    event.address,
    event.request_id,
    event.reason,
    event.details,
    ...(hasPerson ? person : []),
  ];
  return createHash("sha256").update(asPostgresWrites(content)).digest("hex");
}

/**
 * The output of Postgres's json_build_array: a space after each comma, and texts escaped as
 * JSON.stringify does.
 */
function asPostgresWrites(texts: (string | null)[]): string {
  return `[${texts.map((item) => JSON.stringify(item)).join(", ")}]`;
}
