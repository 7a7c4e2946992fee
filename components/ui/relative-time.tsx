"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatMomentInBoth } from "#components/ui/moment.ts";
import { useServerTime } from "#components/ui/server-clock.ts";
import { formatAgo } from "./format-duration.ts";

/** Time since a moment, by the server's clock. */
export function RelativeTime({ iso, asOf }: { iso: string; asOf: string }) {
  const { timeZone } = usePreferences();
  const text = useServerTime((now) => formatAgo(iso, now), asOf);
  return (
    <time dateTime={iso} title={formatMomentInBoth(iso, timeZone)}>
      {text}
    </time>
  );
}
