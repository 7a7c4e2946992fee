import { timeOf } from "#components/ui/typed-time.ts";
import type { Interval } from "#lib/calendars/contract.ts";
import { stretchOf } from "./hours.ts";

const DAY_MINUTES = 1440;

/**
 * A day's hours, drawn from midnight to midnight; the fields contain the same information. Drawn as
 * SVG, because the content security policy refuses inline styles.
 */
export function DayBar({ intervals }: { intervals: readonly Interval[] }) {
  const visible = intervals.flatMap(({ from, to }) => {
    const times = { from: timeOf(from), to: timeOf(to) };
    return times.from && times.to && times.from !== times.to
      ? [stretchOf({ from: times.from, to: times.to })]
      : [];
  });
  return (
    <div
      aria-hidden
      className="flex min-w-0 flex-col justify-center gap-0.5 self-start pt-1.5 @max-lg:hidden"
    >
      <svg
        viewBox={`0 0 ${DAY_MINUTES} 1`}
        preserveAspectRatio="none"
        className="h-6 w-full rounded-sm border border-line bg-canvas"
      >
        <title>Hours</title>
        {[6, 12, 18].map((hour) => (
          <line
            key={hour}
            x1={hour * 60}
            x2={hour * 60}
            y1="0"
            y2="1"
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {visible.map(([from, to]) => (
          <rect
            key={`${from}-${to}`}
            x={from}
            y="0"
            width={Math.min(to, DAY_MINUTES) - from}
            height="1"
            className="fill-accent"
          />
        ))}
      </svg>
      <div className="relative h-4 text-xs text-muted tabular-nums">
        <span className="absolute left-0">0</span>
        <span className="absolute left-1/4 -translate-x-1/2">6</span>
        <span className="absolute left-1/2 -translate-x-1/2">12</span>
        <span className="absolute left-3/4 -translate-x-1/2">18</span>
        <span className="absolute right-0">24</span>
      </div>
    </div>
  );
}
