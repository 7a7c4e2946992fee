"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatDay, formatMoment, formatMomentInFull } from "./moment.ts";

type Shown = { iso: string; className?: string };

/** A moment in the reader's time zone. */
export function Time({ iso, className }: Shown) {
  const { timeZone } = usePreferences();
  return (
    <time dateTime={iso} title={formatMomentInFull(iso, timeZone)} className={className}>
      {formatMoment(iso, timeZone)}
    </time>
  );
}

/** A moment's date, for distant ones. */
export function Day({ iso, className }: Shown) {
  const { timeZone } = usePreferences();
  return (
    <time dateTime={iso} title={formatMomentInFull(iso, timeZone)} className={className}>
      {formatDay(iso, timeZone)}
    </time>
  );
}
