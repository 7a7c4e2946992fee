"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { type Bucket, nameOf, PERIODS, type Period } from "./buckets.ts";

/** The calls as a table, newest first. Buckets without calls are omitted. */
export function UsageTable({ buckets, period }: { buckets: Bucket[]; period: Period }) {
  const { timeZone } = usePreferences();
  const rows = buckets.filter(({ accepted, refused }) => accepted + refused > 0).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div tabIndex={0} className="max-h-60 overflow-y-auto rounded-md border border-line">
      <table className="w-full text-sm">
        <caption className="sr-only">
          Calls in the last {PERIODS[period].name} by {PERIODS[period].unit}
        </caption>
        <thead className="sticky top-0 bg-surface text-xs text-muted">
          <tr>
            <th scope="col" className="px-3 py-1.5 text-left font-medium first-letter:uppercase">
              {PERIODS[period].unit}
              {period === "days" && " (UTC)"}
            </th>
            <th scope="col" className="px-3 py-1.5 text-right font-medium">
              Accepted
            </th>
            <th scope="col" className="px-3 py-1.5 text-right font-medium">
              Refused
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((bucket) => (
            <tr key={bucket.start} className="border-t border-line tabular-nums">
              <th scope="row" className="px-3 py-1 text-left font-normal">
                <time dateTime={bucket.start}>{nameOf(bucket, period, timeZone)}</time>
              </th>
              <td className="px-3 py-1 text-right">{bucket.accepted.toLocaleString("en")}</td>
              <td className="px-3 py-1 text-right">{bucket.refused.toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
