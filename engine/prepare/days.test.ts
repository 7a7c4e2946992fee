import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { businessDaysOf, mondayToFriday } from "./days.ts";

const days = fc.uniqueArray(fc.integer({ min: -40, max: 80 }), { maxLength: 12 });
const calendar = fc.record({
  weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
  special: days,
  at: fc.nat(12),
});

/** 2024-10-04, a Friday. */
const FRIDAY = 20_000;

describe("business days", () => {
  test("equal a count day by day, for any calendar", () => {
    fc.assert(
      fc.property(
        calendar,
        fc.integer({ min: -60, max: 60 }),
        fc.nat(60),
        ({ weekdays, special, at }, from, length) => {
          const rising = (list: number[]) => list.sort((a, b) => a - b);
          const [opened, closed] = [rising(special.slice(0, at)), rising(special.slice(at))];
          const businessDays = businessDaysOf({ weekdays, opened, closed });
          let walked = 0;
          for (let day = from; day < from + length; day++) {
            const weekday = new Date(day * 86_400_000).getUTCDay() || 7;
            if (opened.includes(day) || (weekdays.includes(weekday) && !closed.includes(day)))
              walked++;
          }
          expect(businessDays(from + length) - businessDays(from)).toBe(walked);
        },
      ),
    );
  });

  test("without a calendar are Monday to Friday, and a weekend counts as Monday", () => {
    expect([0, 1, 2, 3, 4].map((n) => mondayToFriday(FRIDAY + n) - mondayToFriday(FRIDAY))).toEqual(
      [0, 1, 1, 1, 2],
    );
  });
});
