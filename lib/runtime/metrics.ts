import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { singleton } from "./singleton.ts";

/** Milliseconds to minutes: what a person waits for, and what jobs take. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];

/** What this process counts of itself. */
export const registry = (): Registry =>
  singleton("metrics", () => {
    const own = new Registry();
    collectDefaultMetrics({ register: own });
    const bornBy = process.ppid;
    new Gauge({
      name: "tieout_process_orphaned",
      help: "1 where the process that started this one is gone.",
      registers: [own],
      collect() {
        this.set(process.ppid === bornBy ? 0 : 1);
      },
    });
    return own;
  });

type Metric = { name: string; help: string; labels?: readonly string[] };

/** How long something took, in seconds. The same name is the same histogram, whichever copy of a module asks. */
export function durations({ name, help, labels = [] }: Metric): Histogram {
  const known = registry().getSingleMetric(name) as Histogram | undefined;
  return (
    known ??
    new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: SECONDS,
      registers: [registry()],
    })
  );
}

/** A figure read when it is asked for: by the value of its only label, or one number. */
export function figure(
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
