"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { BrushChart, type ChartStep } from "#components/ui/brush-chart.tsx";
import { formatMoment } from "#components/ui/moment.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { WebhookStats } from "#lib/webhooks/deliveries/contract.ts";
import { formatDuration } from "./labels.ts";

const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;
const SERIES_CLASSES = {
  stack: ["fill-accent-text", "fill-danger"],
  lines: ["stroke-muted", "stroke-accent-text"],
};

type Props = {
  stats: Pick<UseQueryResult<WebhookStats>, "data" | "isError">;
  onChoose: (since: string, until: string) => void;
};

/**
 * Attempts by outcome and response times, by hour of the last 7 days. Choosing hours filters the
 * deliveries.
 */
export function AttemptsChart({ stats: { data, isError }, onChoose }: Props) {
  const { timeZone } = usePreferences();
  // The list below shows the error.
  if (!data) return isError ? null : <Skeleton className="h-44 w-full" />;
  if (data.hours.length === 0) return null;
  const hours = everyHour(data);
  const steps = hours.map((hour) => toStep(hour, timeZone));
  const startOf = (hour: number) => Date.parse(hours[hour]?.start ?? data.as_of);
  return (
    <section aria-label="Attempts over time" className="flex flex-col gap-2">
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
        <span>
          <span aria-hidden className="mr-1.5 inline-block size-2 rounded-[2px] bg-accent-text" />
          Accepted
        </span>
        <span>
          <span aria-hidden className="mr-1.5 inline-block size-2 rounded-[2px] bg-danger" />
          Failed
        </span>
        <span className="sm:ml-auto">
          <span aria-hidden className="inline-block w-4 border-t-2 border-muted align-middle" /> p50{" "}
          <span
            aria-hidden
            className="ml-2 inline-block w-4 border-t-2 border-accent-text align-middle"
          />{" "}
          p95
        </span>
      </p>
      <BrushChart
        label="Attempts and response times by hour of the last 7 days. Arrow keys move, Shift and arrow keys select a range, Enter shows the deliveries created in it."
        steps={steps}
        classes={SERIES_CLASSES}
        onChoose={(from, to) =>
          onChoose(
            new Date(startOf(from)).toISOString(),
            new Date(startOf(to) + HOUR_MS).toISOString(),
          )
        }
      />
      <p className="flex justify-between text-xs text-muted tabular-nums">
        <span>{steps[0]?.name}</span>
        <span className="max-sm:hidden">Drag across the chart to filter</span>
        <span>{formatMoment(data.as_of, timeZone)}</span>
      </p>
    </section>
  );
}

type Hour = WebhookStats["hours"][number];

function everyHour({ as_of, hours }: WebhookStats): Hour[] {
  const known = new Map(hours.map((hour) => [Date.parse(hour.start), hour]));
  const last = Math.floor(Date.parse(as_of) / HOUR_MS) * HOUR_MS;
  return Array.from({ length: HOURS }, (_, index) => {
    const start = last - (HOURS - 1 - index) * HOUR_MS;
    return (
      known.get(start) ?? {
        start: new Date(start).toISOString(),
        succeeded: 0,
        failed: 0,
        p50_ms: null,
        p95_ms: null,
      }
    );
  });
}

function toStep({ start, succeeded, failed, p50_ms, p95_ms }: Hour, timeZone: string): ChartStep {
  const label =
    succeeded + failed === 0
      ? "no attempts"
      : `${succeeded.toLocaleString("en")} accepted, ${failed.toLocaleString("en")} failed, p50 ` +
        `${formatDuration(p50_ms)}, p95 ${formatDuration(p95_ms)}`;
  return {
    name: formatMoment(start, timeZone),
    label,
    stack: [succeeded, failed],
    lines: [p50_ms, p95_ms],
  };
}
