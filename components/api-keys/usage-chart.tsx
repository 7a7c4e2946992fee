"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Bars } from "#components/ui/bar-chart.tsx";
import { type Bucket, dayOf, dayStarts, nameOf, PERIODS, type Period, totalOf } from "./buckets.ts";

const HEIGHT_PX = 120;
const SERIES = [
  { key: "accepted", name: "accepted", fill: "fill-accent-text" },
  { key: "refused", name: "refused", fill: "fill-danger" },
] as const;

/** Calls over time, refused ones on top. `UsageTable` shows the same as a table. */
export function UsageChart({ buckets, period }: { buckets: Bucket[]; period: Period }) {
  const { timeZone } = usePreferences();
  const data = buckets.map((bucket) => ({
    name: nameOf(bucket, period, timeZone),
    accepted: bucket.accepted,
    refused: bucket.refused,
  }));
  const total = totalOf(buckets);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-end gap-3 text-xs text-muted">
        <Key className="bg-accent-text">{`${total.accepted.toLocaleString("en")} accepted`}</Key>
        <Key className="bg-danger">{`${total.refused.toLocaleString("en")} refused`}</Key>
      </div>
      <div className="h-30">
        <Bars
          label={
            `Calls in the last ${PERIODS[period].name} by ` +
            `${PERIODS[period].unit}${period === "days" ? " (UTC)" : ""}. ` +
            "Use the arrow keys to read values."
          }
          data={data}
          series={SERIES}
          height={HEIGHT_PX}
          tick={dayOf}
          ticks={period === "hours" ? dayStarts(data.map(({ name }) => name)) : undefined}
        />
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
