"use client";

import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { BrushChart, type ChartStep } from "#components/ui/brush-chart.tsx";
import { formatMoment } from "#components/ui/moment.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { RequestStats } from "#lib/request-log/contract.ts";
import { formatDuration } from "./labels.ts";
import { requestStatsOf } from "./queries.ts";
import { everyStep } from "./steps.ts";

const SERIES_CLASSES = {
  stack: ["fill-accent-text", "fill-warning", "fill-danger"],
  lines: ["stroke-muted", "stroke-accent-text"],
};

type Props = {
  query: Record<string, string>;
  live: boolean;
  onChoose: (from: Date, to: Date) => void;
};

/** Calls, errors and response times over time. Choosing a range filters the list. */
export function Charts({ query, live, onChoose }: Props) {
  const { timeZone } = usePreferences();
  const { data: stats, isError } = useQuery({
    ...requestStatsOf(useTenantId(), query, live),
    placeholderData: (known) => known,
  });
  // The list below shows the error.
  if (!stats) return isError ? null : <Skeleton className="mb-4 h-44 w-full short:hidden" />;
  const steps = everyStep(stats);
  const calls = sumOf(steps, "calls");
  const [refused, broken] = [sumOf(steps, "client_errors"), sumOf(steps, "server_errors")];
  const at = (index: number) => Date.parse(steps[index]?.start ?? stats.since);
  return (
    <section aria-label="Calls over time" className="flex flex-col gap-2 pb-5 short:hidden">
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted tabular-nums">
        <Key className="bg-accent-text">
          {count(calls)} {calls === 1 ? "call" : "calls"}
        </Key>
        <Key className="bg-warning">
          {count(refused)} client {refused === 1 ? "error" : "errors"} (4xx)
        </Key>
        <Key className="bg-danger">
          {count(broken)} server {broken === 1 ? "error" : "errors"} (5xx)
        </Key>
        <span className="sm:ml-auto">
          <Line className="border-muted" /> p50 <Line className="ml-2 border-accent-text" /> p99
        </span>
      </p>
      <BrushChart
        label="Calls, errors and response times over time. Arrow keys move, Shift and arrow keys select a range, Enter shows its requests."
        steps={steps.map((step) => toStep(step, timeZone))}
        classes={SERIES_CLASSES}
        onChoose={(from, to) =>
          onChoose(new Date(at(from)), new Date(at(to) + stats.step_seconds * 1000))
        }
      />
      <p className="flex justify-between text-xs text-muted tabular-nums">
        <span>{formatMoment(steps[0]?.start ?? stats.since, timeZone)}</span>
        <span className="max-sm:hidden">Drag across the chart to filter</span>
        <span>{formatMoment(stats.until, timeZone)}</span>
      </p>
    </section>
  );
}

type Step = RequestStats["steps"][number];

function toStep(step: Step, timeZone: string): ChartStep {
  const { calls, client_errors, server_errors, p50_ms, p99_ms } = step;
  const fine = calls - client_errors - server_errors;
  const label =
    calls === 0
      ? "no calls"
      : `${count(calls)} ${calls === 1 ? "call" : "calls"}, ${count(client_errors)} 4xx, ${count(server_errors)} 5xx, p50 ${formatDuration(p50_ms)}, p99 ${formatDuration(p99_ms)}`;
  return {
    name: formatMoment(step.start, timeZone),
    label,
    stack: [fine, client_errors, server_errors],
    lines: calls === 0 ? [null, null] : [p50_ms, p99_ms],
  };
}

function sumOf(steps: readonly Step[], name: "calls" | "client_errors" | "server_errors"): number {
  return steps.reduce((sum, step) => sum + step[name], 0);
}

function count(number: number): string {
  return number.toLocaleString("en");
}

function Key({ className, children }: { className: string; children: React.ReactNode }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-[2px] ${className}`} />
      <span>{children}</span>
    </span>
  );
}

function Line({ className }: { className: string }) {
  return <span aria-hidden className={`inline-block w-4 border-t-2 align-middle ${className}`} />;
}
