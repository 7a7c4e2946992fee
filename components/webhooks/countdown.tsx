"use client";

import { formatRemaining } from "#components/ui/format-duration.ts";
import { useServerTime } from "#components/ui/server-clock.ts";

/** A countdown. Not a live region: it changes each second. */
export function Countdown({ until, asOf }: { until: string; asOf: string }) {
  const left = useServerTime(
    (now) => (Date.parse(until) > now ? `in ${formatRemaining(until, now)}` : "any moment now"),
    asOf,
  );
  return <span className="tabular-nums">{left}</span>;
}
