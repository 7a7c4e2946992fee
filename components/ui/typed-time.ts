const DAY_MINUTES = 1440;

/** As a person types it, "9", "930", "17.30" or "24", as HH:MM. Undefined: no time of day. */
export function timeOf(typed: string): string | undefined {
  const [, hours, minutes = "0"] = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/.exec(typed.trim()) ?? [];
  if (
    hours === undefined ||
    Number(minutes) > 59 ||
    Number(hours) * 60 + Number(minutes) > DAY_MINUTES
  )
    return undefined;
  return `${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}`;
}
