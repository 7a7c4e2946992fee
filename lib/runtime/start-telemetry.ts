import type { Registry } from "prom-client";
import { traceWith } from "./trace.ts";

const FLUSH_TIMEOUT_MS = 2_000;

/**
 * Sends traces, metrics and logs to OTEL_EXPORTER_OTLP_ENDPOINT, or to one endpoint each
 * (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, …_METRICS_ENDPOINT, …_LOGS_ENDPOINT). Without an endpoint
 * nothing is sent or loaded. https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 *
 * @param figures the registry that a scrape of this process reads; null in a thread, whose process
 * reports for it
 *
 * @returns a function that sends what is still buffered, to call before the process exits
 */
export async function startTelemetry(
  part: "web" | "worker" | "matcher",
  figures: (() => Promise<Registry>) | null,
): Promise<() => Promise<void>> {
  const isEnabled = (signal: string) =>
    Boolean(
      process.env.OTEL_EXPORTER_OTLP_ENDPOINT ||
        process.env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`],
    );
  const [traces, metrics, logs] = ["TRACES", "METRICS", "LOGS"].map(isEnabled);
  if (!traces && !metrics && !logs) return async () => {};
  const { resourceOf } = await import("./otlp/resource.ts");
  const resource = resourceOf(part);
  const ends: (() => Promise<void>)[] = [];
  if (traces) {
    const { sendSpans } = await import("./otlp/send-spans.ts");
    const { tracer, stop } = sendSpans(resource);
    traceWith(tracer);
    ends.push(stop);
  }
  if (metrics && figures)
    ends.push((await import("./otlp/send-metrics.ts")).sendMetrics(resource, figures));
  if (logs) ends.push((await import("./otlp/send-logs.ts")).sendLogs(resource));
  return async () => {
    const all = Promise.allSettled(ends.map((end) => end()));
    await Promise.race([
      all,
      new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref()),
    ]);
  };
}
