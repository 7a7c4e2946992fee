"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatMoment, formatMomentInBoth } from "#components/ui/moment.ts";

/** A time with seconds, to compare with a receiver's log. */
export function Timestamp({ iso }: { iso: string }) {
  const { timeZone } = usePreferences();
  return (
    <time dateTime={iso} title={formatMomentInBoth(iso, timeZone)} className="tabular-nums">
      {formatMoment(iso, timeZone)}:{iso.slice(17, 19)}
    </time>
  );
}
