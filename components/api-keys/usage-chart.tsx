"use client";

import { usePreferences } from "#components/shell/preferences-provider.tsx";
import { formatDay, formatMoment } from "#components/ui/moment.ts";
import { type Bucket, PERIODS, type Period } from "./buckets.ts";

const HEIGHT = 80;
/** A bar and the gap after it, in units of the picture. */
const STEP = 10;

/** Calls over time; refused ones stand on top. The same as a table is `UsageTable`. */
export function UsageChart({ buckets, period }: { buckets: Bucket[]; period: Period }) {
  const { timeZone } = usePreferences();
  const most = Math.max(1, ...buckets.map(({ accepted, refused }) => accepted + refused));
  const heightOf = (calls: number) => (calls === 0 ? 0 : Math.max(1.5, (calls / most) * HEIGHT));
  const bar = STEP - (buckets.length > 100 ? 2 : 3);
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex justify-between text-xs text-muted tabular-nums">
        <span>
          {most.toLocaleString("en")} in {period === "hours" ? "an hour" : "a day"} at most
        </span>
        <span className="flex gap-3">
          <Key className="bg-accent-text">Accepted</Key>
          <Key className="bg-danger">Refused</Key>
        </span>
      </div>
      <svg
        viewBox={`0 0 ${buckets.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Calls of the last ${PERIODS[period].name} by ${PERIODS[period].unit}`}
        className="h-20 w-full border-b border-line"
      >
        {buckets.map(({ start, accepted, refused }, index) => {
          const below = heightOf(accepted);
          const above = heightOf(refused);
          return (
            <g key={start}>
              <title>{`${formatMoment(start, timeZone)}: ${accepted} accepted, ${refused} refused`}</title>
              <rect x={index * STEP} y={0} width={STEP} height={HEIGHT} className="fill-transparent hover:fill-hover" />
              <rect x={index * STEP} y={HEIGHT - below} width={bar} height={below} className="pointer-events-none fill-accent-text" />
              <rect x={index * STEP} y={HEIGHT - below - above} width={bar} height={above} className="pointer-events-none fill-danger" />
            </g>
          );
        })}
      </svg>
      <div className="flex justify-between text-xs text-muted">
        <span>{formatDay(buckets[0]?.start ?? "", timeZone)}</span>
        <span>{period === "hours" ? "Now" : "Today"}</span>
      </div>
    </div>
  );
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-[2px] ${className}`} />
      {children}
    </span>
  );
}
