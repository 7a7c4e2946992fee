import { expect, test } from "vitest";
import { barsOf, shortName } from "./time-to-breach.ts";

test("gives every bucket a unique full and short name", () => {
  const ends = [-1441, 0, 59, 240, 1440, null];
  const bars = barsOf(
    ends.map((to_minutes) => ({
      from_minutes: null,
      to_minutes,
      breach_risk: "low",
      open_count: 2,
    })),
  );
  expect(bars[2]).toEqual({ name: "Under 1 hour left", value: 2, risk: "low" });
  const names = bars.map(({ name }) => name);
  expect(new Set(names).size).toBe(ends.length);
  expect(names.map(shortName)).toEqual([
    "> 1 d late",
    "≤ 1 d late",
    "< 1 h",
    "≤ 4 h",
    "≤ 1 d",
    "> 1 d",
  ]);
});
