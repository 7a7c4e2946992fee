"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Bars } from "#components/ui/bar-chart.tsx";
import { formatMoment } from "#components/ui/moment.ts";
import { type Bucket, PERIODS, type Period } from "./buckets.ts";

const HEIGHT_PX = 120;
const SERIES = [
  { key: "accepted", name: "accepted", fill: "fill-accent-text" },
  { key: "refused", name: "refused", fill: "fill-danger" },
] as const;

/** Calls over time, refused ones on top. `UsageTable` shows the same as a table. */
export function UsageChart({ buckets, period }: { buckets: Bucket[]; period: Period }) {
  const { timeZone } = usePreferences();
  const data = buckets.map(({ start, accepted, refused }) => ({ name: formatMoment(start, timeZone), accepted, refused }));
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-end gap-3 text-xs text-muted">
        <Key className="bg-accent-text">Accepted</Key>
        <Key className="bg-danger">Refused</Key>
      </div>
      <div className="h-30">
        <Bars
          label={`Calls in the last ${PERIODS[period].name} by ${PERIODS[period].unit}. Use the arrow keys to read values.`}
          data={data}
          series={SERIES}
          height={HEIGHT_PX}
          tick={dayOf}
        />
      </div>
    </div>
  );
}

function dayOf(moment: string): string {
  return moment.split(",")[0] ?? moment;
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-[2px] ${className}`} />
      {children}
    </span>
  );
}
