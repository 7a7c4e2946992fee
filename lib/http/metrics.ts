import { statfs } from "node:fs/promises";
import { Gauge, Registry } from "prom-client";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { env } from "../runtime/env.ts";
import { durationHistogram, registry } from "../runtime/metrics.ts";
import { traced } from "../runtime/trace.ts";

type Serve = (request: Request, params: Record<string, string>) => Promise<Response>;

const state = z.object({
  worker_silence_seconds: z.number().nullable(),
  working: z.record(z.string(), z.number()),
  sla_clock_lag_seconds: z.number(),
  webhooks: z.object({ active: z.number(), disabled: z.number(), given_up: z.number() }),
  deliveries: z.object({ pending: z.number(), due: z.number(), lag_seconds: z.number() }),
  jobs: z.object({
    ready: z.number(),
    running: z.number(),
    failed: z.number(),
    oldest_seconds: z.number(),
    locked_by_the_dead: z.number(),
  }),
  scheduled: z.record(z.string(), z.number()),
  unsigned_seconds: z.number(),
  database: z.object({
    bytes: z.number(),
    connections: z.number(),
    connections_max: z.number(),
    migrating: z.boolean(),
  }),
});

const requests = durationHistogram({
  name: "tieout_request_duration_seconds",
  help: "Response time of /v1 requests by operation and status.",
  labels: ["operation", "status"],
});

/** Counts, times and traces every response of an operation, refusals included. */
export function withMetrics(operation: string, serve: Serve): Serve {
  return async (request, params) => {
    const stop = requests.startTimer({ operation });
    const response = await traced(
      () => ({
        requestId: request.headers.get("x-request-id"),
        name: operation,
        kind: "server",
        attributes: { "http.request.method": request.method },
        first: { caller: request.headers.get("traceparent") },
      }),
      () => serve(request, params),
      ({ status }) => ({
        failed: status >= 500,
        attributes: { "http.response.status_code": status },
      }),
    );
    stop({ status: response.status });
    return response;
  };
}

/**
 * Prometheus text: this process's figures, and the background work's from the database. If the
 * database is unreachable, only this process's, with `tieout_database_up` 0.
 */
export async function metrics(): Promise<{ contentType: string; text: string }> {
  const all = await metricsRegistry();
  return { contentType: all.contentType, text: await all.metrics() };
}

/** The registry behind `metrics`, for other formats. */
export async function metricsRegistry(): Promise<Registry> {
  const shared = new Registry();
  await Promise.all([addBackgroundWork(shared), addDiskSpace(shared)]);
  return Registry.merge([registry(), shared]);
}

/** `value` is a number, or one number for each value of `label`. */
type Figure = {
  name: string;
  help: string;
  label?: string;
  value: number | Record<string, number>;
};

function add(to: Registry, ...figures: Figure[]): void {
  for (const { name, help, label, value } of figures) {
    const gauge = new Gauge({ name, help, labelNames: label ? [label] : [], registers: [to] });
    if (typeof value === "number") gauge.set(value);
    else for (const [key, one] of Object.entries(value)) gauge.set({ [label ?? ""]: key }, one);
  }
}

async function addBackgroundWork(to: Registry): Promise<void> {
  const found = await read().catch(() => null);
  add(to, {
    name: "tieout_database_up",
    help: "Whether the database responds.",
    value: found ? 1 : 0,
  });
  if (!found) return;
  const { worker_silence_seconds, webhooks, deliveries, jobs, database } = found;
  if (worker_silence_seconds !== null)
    add(to, {
      name: "tieout_worker_silence_seconds",
      help: "Time since any worker's last heartbeat. Workers beat every 5 s.",
      value: worker_silence_seconds,
    });
  add(
    to,
    {
      name: "tieout_background_processes",
      help: "Background processes that beat within 15 s, by kind.",
      label: "kind",
      value: found.working,
    },
    {
      name: "tieout_sla_clock_lag_seconds",
      help: "Age of the oldest deadline crossing without an event.",
      value: found.sla_clock_lag_seconds,
    },
    {
      name: "tieout_webhooks",
      help: "Registered webhooks.",
      label: "status",
      value: { active: webhooks.active, disabled: webhooks.disabled },
    },
    {
      name: "tieout_webhooks_given_up",
      help: "Webhooks disabled within a day because their receiver failed.",
      value: webhooks.given_up,
    },
    {
      name: "tieout_webhook_deliveries_pending",
      help: "Deliveries with a pending attempt.",
      value: deliveries.pending,
    },
    {
      name: "tieout_webhook_deliveries_due",
      help: "Deliveries whose next attempt is due or in flight.",
      value: deliveries.due,
    },
    {
      name: "tieout_webhook_delivery_lag_seconds",
      help: "Age of the longest due attempt.",
      value: deliveries.lag_seconds,
    },
    {
      name: "tieout_jobs",
      help: "Background jobs: ready and waiting, running, or failed permanently.",
      label: "status",
      value: { ready: jobs.ready, running: jobs.running, failed: jobs.failed },
    },
    {
      name: "tieout_job_oldest_seconds",
      help: "How long the oldest ready job has waited.",
      value: jobs.oldest_seconds,
    },
    {
      name: "tieout_jobs_locked_by_the_dead",
      help: "Jobs held by a process that shows no life.",
      value: jobs.locked_by_the_dead,
    },
    {
      name: "tieout_task_scheduled_seconds",
      help: "Time since a task's schedule last queued it: at least hourly, recounts once a day.",
      label: "task",
      value: found.scheduled,
    },
    {
      name: "tieout_audit_unsigned_seconds",
      help: "Age of the oldest security event not yet signed.",
      value: found.unsigned_seconds,
    },
    { name: "tieout_database_bytes", help: "Size of the database.", value: database.bytes },
    {
      name: "tieout_database_connections",
      help: "Connections to the whole Postgres server.",
      value: database.connections,
    },
    {
      name: "tieout_database_connections_max",
      help: "Connections that it takes.",
      value: database.connections_max,
    },
    {
      name: "tieout_migration_lock_held",
      help: "1 while a start or a push applies migrations.",
      value: Number(database.migrating),
    },
  );
}

/** Adds how much space the database has left to grow, as far as this machine knows it. */
async function addDiskSpace(to: Registry): Promise<void> {
  const { DATABASE_MAX_BYTES: max, DATABASE_DISK: disk } = env();
  if (max)
    add(to, {
      name: "tieout_database_max_bytes",
      help: "DATABASE_MAX_BYTES: what the database may grow to.",
      value: max,
    });
  const found = disk ? await statfs(disk).catch(() => null) : null;
  if (!found) return;
  const { bavail, blocks, bsize } = found;
  add(
    to,
    {
      name: "tieout_database_disk_free_bytes",
      help: "Free space on the disk that the database lies on.",
      value: bavail * bsize,
    },
    { name: "tieout_database_disk_bytes", help: "Size of that disk.", value: blocks * bsize },
  );
}

async function read(): Promise<z.output<typeof state>> {
  return state.parse(
    unwrap(await serviceDb("the operator's figures are over all tenants").rpc("service_metrics")),
  );
}
