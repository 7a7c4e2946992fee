import type { RequestStats } from "#lib/request-log/contract.ts";

type Step = RequestStats["steps"][number];

/**
 * Every step between `since` and `until`, including those without calls. Steps begin at whole
 * multiples of their length, in UTC.
 */
export function everyStep({
  since,
  until,
  step_seconds,
  steps,
}: Pick<RequestStats, "since" | "until" | "step_seconds" | "steps">): Step[] {
  const length = step_seconds * 1000;
  const known = new Map(steps.map((step) => [Date.parse(step.start), step]));
  const first = Math.floor(Date.parse(since) / length) * length;
  const count = Math.max(1, Math.ceil((Date.parse(until) - first) / length));
  return Array.from({ length: count }, (_, index) => {
    const start = first + index * length;
    return (
      known.get(start) ?? {
        start: new Date(start).toISOString(),
        calls: 0,
        client_errors: 0,
        server_errors: 0,
        p50_ms: 0,
        p99_ms: 0,
      }
    );
  });
}
