import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { processWide } from "../runtime/process-wide.ts";

type Serve = (request: Request, params: Record<string, string>) => Promise<Response>;

const state = z.object({
  worker_silence_seconds: z.number().nullable(),
  sla_clock_lag_seconds: z.number(),
  webhooks: z.object({ active: z.number(), disabled: z.number() }),
  deliveries: z.object({ pending: z.number(), due: z.number(), lag_seconds: z.number() }),
  jobs: z.object({ ready: z.number(), failed: z.number() }),
});

const { registry, requests } = processWide("metrics", () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "tieout_request_duration_seconds",
    help: "Response time of /v1 requests by operation and status.",
    labelNames: ["operation", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  return { registry, requests };
});

/** Counts and times what an operation answers, refusals included. */
export function timed(operation: string, serve: Serve): Serve {
  return async (request, params) => {
    const stop = requests.startTimer({ operation });
    const response = await serve(request, params);
    stop({ status: response.status });
    return response;
  };
}

/**
 * Prometheus text: this process's own figures, and those of the background work as the database has them. Without the
 * database only the former, and `tieout_database_up` 0.
 */
export async function metrics(): Promise<{ contentType: string; text: string }> {
  const merged = Registry.merge([registry, await backgroundWork()]);
  return { contentType: merged.contentType, text: await merged.metrics() };
}

async function backgroundWork(): Promise<Registry> {
  const work = new Registry();
  const gauge = (name: string, help: string, value: number | Record<string, number>) => {
    const labelNames = typeof value === "number" ? [] : ["status"];
    const gauge = new Gauge({ name, help, labelNames, registers: [work] });
    if (typeof value === "number") gauge.set(value);
    else for (const [status, count] of Object.entries(value)) gauge.set({ status }, count);
  };
  const found = await read().catch(() => null);
  gauge("tieout_database_up", "Whether the database responds.", found ? 1 : 0);
  if (!found) return work;
  const { webhooks, deliveries, jobs } = found;
  if (found.worker_silence_seconds !== null)
    gauge("tieout_worker_silence_seconds", "Time since any worker's last heartbeat. Workers beat every 5 s.", found.worker_silence_seconds);
  gauge("tieout_sla_clock_lag_seconds", "Age of the oldest deadline crossing without an event.", found.sla_clock_lag_seconds);
  gauge("tieout_webhooks", "Registered webhooks.", webhooks);
  gauge("tieout_webhook_deliveries_pending", "Deliveries with a pending attempt.", deliveries.pending);
  gauge("tieout_webhook_deliveries_due", "Deliveries whose next attempt is due or in flight.", deliveries.due);
  gauge("tieout_webhook_delivery_lag_seconds", "Age of the longest due attempt.", deliveries.lag_seconds);
  gauge("tieout_jobs", "Background jobs, ready to run or failed permanently.", jobs);
  return work;
}

async function read(): Promise<z.output<typeof state>> {
  return state.parse(unwrap(await serviceDb("the operator's figures are over all tenants").rpc("service_metrics")));
}
