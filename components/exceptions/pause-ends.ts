/** When a pause ends by itself: the choices of the pause dialog. */
export const PAUSE_ENDS = ["tomorrow", "monday", "open", "time"] as const;
export type PauseEnd = (typeof PAUSE_ENDS)[number];

export const PAUSE_END_WORDS: Record<PauseEnd, string> = {
  tomorrow: "Tomorrow at 9:00",
  monday: "Next Monday at 9:00",
  open: "When someone resumes it",
  time: "At another time…",
};

const MORNING = 9;

/** The moment, null for no end. `time`: the browser's own, as a datetime-local field has it; so are the mornings. */
export function pauseUntil(end: PauseEnd, time: string, now: Date): string | null {
  if (end === "open" || (end === "time" && time === "")) return null;
  if (end === "time") return new Date(time).toISOString();
  const days = end === "tomorrow" ? 1 : (8 - now.getDay()) % 7 || 7;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING).toISOString();
}
