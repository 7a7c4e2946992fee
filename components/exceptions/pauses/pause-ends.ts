import { fieldTime, momentOfField } from "#components/ui/field-time.ts";

/** When a pause ends automatically: the options of the pause dialog. */
export const PAUSE_ENDS = ["tomorrow", "monday", "open", "time"] as const;
export type PauseEnd = (typeof PAUSE_ENDS)[number];

export const PAUSE_END_LABELS: Record<PauseEnd, string> = {
  tomorrow: "Tomorrow at 9:00",
  monday: "Next Monday at 9:00",
  open: "When someone resumes it",
  time: "At another time…",
};

const MORNING = "09:00";
const DAY_MS = 86_400_000;

/**
 * The end of a pause in ISO 8601; null if a person ends it, or while no time is entered. `time` is
 * in the format of a DateField with a time; it and the mornings are in the zone that the page
 * shows. `now` is in milliseconds.
 */
export function pauseUntil(
  end: PauseEnd,
  time: string,
  now: number,
  timeZone: string,
): string | null {
  if (end === "open" || (end === "time" && time === "")) return null;
  if (end === "time") return momentOfField(time, timeZone);
  const today = Date.parse(dayOf(fieldTime(new Date(now).toISOString(), timeZone)));
  const days = end === "tomorrow" ? 1 : (8 - new Date(today).getUTCDay()) % 7 || 7;
  return momentOfField(
    `${dayOf(new Date(today + days * DAY_MS).toISOString())}T${MORNING}`,
    timeZone,
  );
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
