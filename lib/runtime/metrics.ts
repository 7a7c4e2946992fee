import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { singleton } from "./singleton.ts";

/** Bucket bounds in seconds, from 5 ms for requests to 30 minutes for jobs. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];

/** The metrics of this process. */
export const registry = (): Registry =>
  singleton("metrics", () => {
    const metrics = new Registry();
    collectDefaultMetrics({ register: metrics });
    const initialParent = process.ppid;
    new Gauge({
      name: "tieout_process_orphaned",
      help: "1 where the process that started this one is gone.",
      registers: [metrics],
      collect() {
        this.set(process.ppid === initialParent ? 0 : 1);
      },
    });
    return metrics;
  });

type Metric = { name: string; help: string; labels?: readonly string[] };

/**
 * A histogram of durations in seconds. The same name returns the same histogram, even if the
 * bundler loaded this module twice.
 */
export function durationHistogram({ name, help, labels = [] }: Metric): Histogram {
  const existing = registry().getSingleMetric(name) as Histogram | undefined;
  return (
    existing ??
    new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: SECONDS,
      registers: [registry()],
    })
  );
}

/**
 * Registers a gauge that is read at each scrape: one number, or one for each value of its label.
 */
export function gauge(
  metric: Omit<Metric, "labels"> & { label?: string },
  read: () => number | Record<string, number>,
): void {
  const { name, help, label } = metric;
  if (registry().getSingleMetric(name)) return;
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry()],
    collect() {
      const value = read();
      if (typeof value === "number") return this.set(value);
      this.reset();
      for (const [name, count] of Object.entries(value)) this.set({ [label ?? ""]: name }, count);
    },
  });
}
