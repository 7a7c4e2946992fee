import fc from "fast-check";
import { expect, test } from "vitest";
import { burnDown } from "./outlook.ts";

const NOW = Date.parse("2026-11-22T20:30:00.000Z");
const hoursOf = (counts: readonly number[]) =>
  counts.map((due_count, hour) => ({
    due_before: new Date(Date.parse("2026-11-22T21:00:00.000Z") + hour * 3_600_000).toISOString(),
    due_count,
  }));

test("an exception that can't be closed before its deadline breaches", () => {
  const steps = burnDown({ closed_per_hour: 4, hours: hoursOf([5, 0, 0, 10]) }, NOW);
  expect(steps.map(({ due }) => due)).toEqual([5, 5, 5, 15]);
  // Half an hour closes two of five; by midnight 14 of 15 could have been closed, but three were
  // lost before.
  expect(steps.map(({ breaching }) => breaching)).toEqual([3, 3, 3, 3]);
});

test("at a rate of zero everything breaches, at a high rate nothing", () => {
  const hours = hoursOf([1, 2, 3]);
  expect(burnDown({ closed_per_hour: 0, hours }, NOW).map(({ breaching }) => breaching)).toEqual([
    1, 3, 6,
  ]);
  expect(burnDown({ closed_per_hour: 100, hours }, NOW).map(({ breaching }) => breaching)).toEqual([
    0, 0, 0,
  ]);
});

test("predicts the breaches of one person who closes exceptions by deadline", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: 1, maxLength: 9 }),
      fc.nat(40),
      (counts, closed_per_hour) => {
        const left = [...counts];
        let lost = 0;
        const losses = counts.map((_, hour) => {
          let hands = closed_per_hour;
          for (let due = hour; due < left.length && hands > 0; due++) {
            const closed = Math.min(hands, left[due] ?? 0);
            left[due] = (left[due] ?? 0) - closed;
            hands -= closed;
          }
          lost += left[hour] ?? 0;
          return lost;
        });
        const steps = burnDown(
          { closed_per_hour, hours: hoursOf(counts) },
          Date.parse("2026-11-22T20:00:00.000Z"),
        );
        expect(steps.map(({ breaching }) => breaching)).toEqual(losses);
      },
    ),
  );
});
