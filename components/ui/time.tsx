"use client";

import { usePreferences } from "#components/shell/preferences-provider.tsx";
import { formatMoment, formatMomentInFull } from "./moment.ts";

/** A moment in the zone that the reader chose. */
export function Time({ iso, className }: { iso: string; className?: string }) {
  const { timeZone } = usePreferences();
  return (
    <time dateTime={iso} title={formatMomentInFull(iso, timeZone)} className={className}>
      {formatMoment(iso, timeZone)}
    </time>
  );
}
