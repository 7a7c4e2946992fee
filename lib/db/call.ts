import type { Context } from "../request/context.ts";
import { env } from "../runtime/env.ts";
import { processWide } from "../runtime/process-wide.ts";
import type { Functions } from "./client.ts";
import { type Lane, Lanes, widthFor } from "./lanes.ts";
import { unwrap } from "./unwrap.ts";

/** A function of the house's form: `(input jsonb, request jsonb) returns jsonb`. */
export type Verb = {
  [Name in keyof Functions]: Functions[Name]["Args"] extends { input: unknown; request: unknown } ? Name : never;
}[keyof Functions];

/**
 * Calls a reading function: one round trip. `Answer` is what the function promises; the contract parses what leaves the service, so
 * a column nobody listed can't leak.
 */
export async function read<Answer>(ctx: Context, verb: Verb, input: object): Promise<Answer> {
  return (await invoke(ctx, verb, input)) as Answer;
}

/** Calls a writing function: one round trip, one transaction. A replay is marked on the reply. */
export async function write<Answer>(ctx: Context, verb: Verb, input: object): Promise<Answer> {
  const { replayed, body } = (await invoke(ctx, verb, input)) as { replayed: boolean; body: unknown };
  if (replayed) ctx.reply.set("Idempotency-Replayed", "true");
  return body as Answer;
}

const lanes = () => processWide("lanes", () => new Lanes(widthFor(env().WEB_CONCURRENCY)));

function laneOf({ lane }: Context, input: { q?: unknown }): Lane {
  return lane === "interactive" && input.q ? "search" : lane;
}

async function invoke(ctx: Context, verb: Verb, input: object): Promise<unknown> {
  const request = {
    operation: ctx.operation,
    request_id: ctx.requestId,
    address: ctx.clientAddress,
    audit_reason: ctx.auditReason,
    export: ctx.exported,
    dry_run: ctx.dryRun ? input : null,
    versions: ctx.allowedVersions,
    continues: ctx.continues,
    idempotency: ctx.idempotency && { key_hash: ctx.idempotency.key_hash, fingerprint: ctx.idempotency.fingerprint },
  };
  const call = () => ctx.db.rpc(verb, { input, request } as never);
  const answer = unwrap(await lanes().run(ctx.tenantId, laneOf(ctx, input), call));
  ctx.trail.written = true;
  return answer;
}
