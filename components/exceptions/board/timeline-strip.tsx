"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { classes } from "#components/ui/classes.ts";
import { formatClock } from "../deadline.ts";
import { type Segment, stripOf, ticksOf } from "./timeline-figures.ts";

const TICKS_MAX = 6;

/**
 * The clock over time: running is filled, closed hours are shaded, pauses hatched; the future is
 * paler.
 */
const HATCHED =
  "bg-[repeating-linear-gradient(135deg,var(--color-muted)_0_1.5px,transparent_1.5px_6px)]";
const SEGMENT_CLASSES: Record<Segment["kind"], string> = {
  worked: "bg-accent",
  closed: "bg-selected",
  paused: HATCHED,
};
const NAMES: Record<Segment["kind"], string> = {
  worked: "Clock running",
  closed: "Closed",
  paused: "Paused",
};
const KINDS = ["worked", "closed", "paused"] as const;

export function TimelineStrip({
  segments,
  asOf,
  dueAt,
}: {
  segments: readonly Segment[];
  asOf: string;
  dueAt: string;
}) {
  const { timeZone } = usePreferences();
  const strip = stripOf(segments);
  if (!strip) return null;
  const percent = (iso: string) => `${strip.share(iso) * 100}%`;
  const visible = KINDS.filter((kind) => segments.some((segment) => segment.kind === kind));
  const soFar = segments.filter(({ ends_at }) => ends_at <= asOf);
  const hasDue = Date.parse(dueAt) > strip.start && Date.parse(dueAt) <= strip.end;
  const ticks = ticksOf(strip, timeZone, TICKS_MAX);
  return (
    <figure className="flex flex-col gap-2">
      <div aria-hidden className="pb-5">
        <div className="relative h-7 overflow-hidden rounded-sm border border-line bg-surface">
          {segments.map(({ starts_at, ends_at, kind }) => (
            <span
              key={starts_at}
              title={`${NAMES[kind]}: ${formatClock((Date.parse(ends_at) - Date.parse(starts_at)) / 1000)}`}
              className={classes(
                "absolute inset-y-0",
                SEGMENT_CLASSES[kind],
                starts_at >= asOf && "opacity-40",
              )}
              style={{
                left: percent(starts_at),
                width: `${(strip.share(ends_at) - strip.share(starts_at)) * 100}%`,
              }}
            />
          ))}
          {hasDue && (
            <span
              className="absolute inset-y-0 -ml-0.5 border-r-2 border-danger"
              style={{ left: percent(dueAt) }}
            />
          )}
        </div>
        <div className="relative">
          {ticks.map(({ iso, label }) => (
            <span
              key={iso}
              className="absolute top-0 border-l border-line pt-1 pl-1 text-xs whitespace-nowrap text-muted tabular-nums"
              style={
                strip.share(iso) > 0.85
                  ? { right: `${(1 - strip.share(iso)) * 100}%`, border: 0 }
                  : { left: percent(iso) }
              }
            >
              {label}
            </span>
          ))}
        </div>
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {visible.map((kind) => (
          <span key={kind} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className={classes("size-3 rounded-[2px] border border-line", SEGMENT_CLASSES[kind])}
            />
            {NAMES[kind]}{" "}
            <span className="tabular-nums">{formatClock(secondsOf(soFar, kind))}</span>
          </span>
        ))}
        {hasDue && (
          <span className="flex items-center gap-1.5">
            <span aria-hidden className="h-3 border-r-2 border-danger" />
            Deadline
          </span>
        )}
      </figcaption>
    </figure>
  );
}

function secondsOf(segments: readonly Segment[], kind: Segment["kind"]): number {
  const ms = segments
    .filter((segment) => segment.kind === kind)
    .map(({ starts_at, ends_at }) => Date.parse(ends_at) - Date.parse(starts_at));
  return ms.reduce((sum, value) => sum + value, 0) / 1000;
}
