import type { Context } from "../request/context.ts";
import { env } from "../runtime/env.ts";
import { durationHistogram, gauge } from "../runtime/metrics.ts";
import { singleton } from "../runtime/singleton.ts";
import { TenantLimiter } from "../runtime/tenant-limiter.ts";
import { traced } from "../runtime/trace.ts";
import { callLimits } from "./call-limits.ts";
import type { Functions } from "./client.ts";
import { mayUseReplica, priorityOf } from "./priority.ts";
import { unwrap } from "./unwrap.ts";

/** A function with our signature: `(input jsonb, request jsonb) returns jsonb`. */
export type Verb = {
  [Name in keyof Functions]: Functions[Name]["Args"] extends { input: unknown; request: unknown }
    ? Name
    : never;
}[keyof Functions];

/**
 * Calls a reading function in one round trip. `Answer` is the type the function promises; the
 * contract parses the result before it leaves the service, so a column that it doesn't list can't
 * leak.
 */
export async function read<Answer>(ctx: Context, verb: Verb, input: object): Promise<Answer> {
  return (await invoke(ctx, verb, input, { reads: true })) as Answer;
}

/** Calls a writing function in one round trip and one transaction. Marks a replay on the reply. */
export async function write<Answer>(ctx: Context, verb: Verb, input: object): Promise<Answer> {
  const { replayed, body } = (await invoke(ctx, verb, input, { reads: false })) as {
    replayed: boolean;
    body: unknown;
  };
  if (replayed) ctx.reply.set("Idempotency-Replayed", "true");
  return body as Answer;
}

const callLimiter = () =>
  singleton("call-limiter", () => {
    const limiter = new TenantLimiter(callLimits(env().WEB_CONCURRENCY));
    gauge(
      {
        name: "tieout_lane_waiting",
        help: "Calls that wait for their turn at the database.",
        label: "lane",
      },
      () => limiter.waiting,
    );
    return limiter;
  });

const waits = durationHistogram({
  name: "tieout_lane_wait_seconds",
  help: "How long calls waited for their turn at the database.",
  labels: ["lane"],
});

async function invoke(
  ctx: Context,
  verb: Verb,
  input: object,
  { reads }: { reads: boolean },
): Promise<unknown> {
  const request = {
    operation: ctx.operation,
    request_id: ctx.requestId,
    address: ctx.clientAddress,
    audit_reason: ctx.auditReason,
    export: ctx.exported,
    dry_run: ctx.dryRun ? input : null,
    versions: ctx.allowedVersions,
    ...(ctx.known && { known: ctx.known }),
    continues: ctx.continues,
    idempotency: ctx.idempotency && {
      key_hash: ctx.idempotency.key_hash,
      fingerprint: ctx.idempotency.fingerprint,
    },
  };
  const priority = priorityOf(ctx.priority, verb, input);
  // The service-role key's reads are recorded, so they need the writable database.
  const options = {
    takesLong: priority !== "interactive",
    mayLag:
      reads &&
      ctx.principal.type !== "service_role" &&
      mayUseReplica(priority, verb, ctx.continues),
  };
  const stopTimer = waits.startTimer({ lane: priority });
  const call = () => {
    stopTimer();
    const step = () => ({
      requestId: ctx.requestId,
      name: verb,
      kind: "client" as const,
      attributes: { "db.system.name": "postgresql" },
    });
    return traced(
      step,
      () => ctx.db.rpc(verb, { input, request } as never, options),
      ({ error }) => ({ failed: error !== null }),
    );
  };
  const answer = unwrap(await callLimiter().run(ctx.tenantId, priority, call));
  ctx.trail.written = true;
  return answer;
}
