import fc from "fast-check";
import { expect, test } from "vitest";
import { combinations, subsetSums } from "./subset-sum.ts";

function everySubset(
  amounts: readonly number[],
  low: number,
  high: number,
  min: number,
  max: number,
): number {
  let solutions = 0;
  for (let mask = 1; mask < 1 << amounts.length; mask++) {
    const chosen = amounts.filter((_, bit) => mask & (1 << bit));
    const total = chosen.reduce((sum, amount) => sum + amount, 0);
    if (chosen.length >= min && chosen.length <= max && total >= low && total <= high)
      solutions += 1;
  }
  return solutions;
}

test("meet-in-the-middle finds the same sums as brute force", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.integer({ min: -20, max: 60 }).filter((amount) => amount !== 0),
        { minLength: 1, maxLength: 11 },
      ),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(5),
      fc.integer({ min: 1, max: 6 }),
      (amounts, target, slack, max) => {
        const found = subsetSums(
          amounts,
          target - slack,
          target + slack,
          1,
          max,
          Number.MAX_SAFE_INTEGER,
        );
        expect(found.length).toBe(everySubset(amounts, target - slack, target + slack, 1, max));
        for (const positions of found) {
          const total = positions.reduce((sum, at) => sum + (amounts[at] as number), 0);
          expect(Math.abs(total - target)).toBeLessThanOrEqual(slack);
        }
      },
    ),
  );
});

test("subsets are counted by size", () => {
  expect(combinations(8, 2, 8)).toBe(2 ** 8 - 8 - 1);
  expect(combinations(30, 2, 3)).toBe(435 + 4060);
});
