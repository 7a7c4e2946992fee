import type { Mapping } from "../mapping.ts";
import type { SkipReason } from "../skip-reasons.ts";
import { bookingStateOf } from "../words/booking-states.ts";
import { memoizeWords } from "./memoize-words.ts";

/**
 * A function that returns, for a row's status, "booked", the reason to skip the row, or undefined
 * for an unknown status.
 */
export function statusReader({ booked = [], not_booked = [] }: NonNullable<Mapping["status"]>) {
  const mapped = new Map<string, "booked" | SkipReason>();
  for (const value of booked) mapped.set(value.trim().toLowerCase(), "booked");
  for (const value of not_booked) {
    const state = bookingStateOf(value);
    mapped.set(
      value.trim().toLowerCase(),
      state === undefined || state === "booked" ? "status" : state,
    );
  }
  return memoizeWords((cell) => {
    const text = cell.toLowerCase();
    return mapped.get(text) ?? bookingStateOf(text);
  });
}
