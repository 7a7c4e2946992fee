"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { classes } from "./classes.ts";
import { formatDay, formatMoment, formatMomentInBoth } from "./moment.ts";

type TimeProps = { iso: string; className?: string };

/** A time in the user's zone; also in UTC, on hover and for screen readers. */
export function Time({ iso, className }: TimeProps) {
  return <Formatted iso={iso} className={className} format={formatMoment} />;
}

/** The date of a time, for times far away. */
export function Day({ iso, className }: TimeProps) {
  return <Formatted iso={iso} className={className} format={formatDay} />;
}

function Formatted({
  iso,
  className,
  format,
}: TimeProps & { format: (iso: string, timeZone: string) => string }) {
  const { timeZone } = usePreferences();
  const [text, utc] = [format(iso, timeZone), format(iso, "UTC")];
  return (
    <time
      dateTime={iso}
      title={formatMomentInBoth(iso, timeZone)}
      className={classes("relative", className)}
    >
      {text}
      {text !== utc && <span className="sr-only"> ({utc} UTC)</span>}
    </time>
  );
}
