import type { Mapping } from "../mapping.ts";
import type { SkipReason } from "../skip-reasons.ts";
import { bookingStateOf } from "../words/booking-states.ts";
import { knownWords } from "./known-words.ts";

/**
 * Returns a function that says for each status whether its row is a line, why not, or that it is
 * unknown.
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
  return knownWords((cell) => {
    const text = cell.toLowerCase();
    return mapped.get(text) ?? bookingStateOf(text);
  });
}
