import { toastFailure } from "#components/ui/toast.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { minutesToBreach } from "../deadline.ts";

type Clock = Pick<Exception, "due_at" | "paused_at" | "closed_at">;

/**
 * Why an exception can't be paused now, or an empty string. Only the server knows how many pauses
 * the policy still allows.
 */
export function pauseFault({ due_at, paused_at, closed_at }: Clock, nowMs: number): string {
  if (closed_at !== null) return "It's closed. Reopen it to pause it.";
  if (paused_at !== null) return "It's paused already.";
  return minutesToBreach(due_at, nowMs) <= 0
    ? "Its deadline has passed. Move the deadline to pause it."
    : "";
}

/** The same for a selection, if none of it can be paused. */
export function commonPauseFault(chosen: readonly Clock[], nowMs: number): string {
  return chosen.every((clock) => pauseFault(clock, nowMs))
    ? "The deadlines have passed, or the clocks are paused already."
    : "";
}

export function showPauseFault(fault: string): void {
  toastFailure("Can't pause", fault);
}
