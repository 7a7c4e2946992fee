import { expect, test } from "vitest";
import { currenciesOf, waterfallOf } from "./waterfall.ts";

const step = (rule: string, lines: number, currency = "EUR") => ({
  rule,
  matches: lines,
  suggested: 2,
  left_lines: lines,
  right_lines: lines,
  amounts: [{ currency, left_minor: 100, right_minor: 100 }],
});

test("each step begins where the one before ended, and the last ends with all lines", () => {
  const run = { waterfall: [step("Same reference", 40), step("Sums", 5)] };
  const steps = waterfallOf(run, { matched_count: 94, unmatched_count: 6 });
  expect(steps.map(({ key, lines, from, to }) => [key, lines, from, to])).toEqual([
    ["all", 100, 0, 1],
    ["rule:Same reference", 80, 0, 0.8],
    ["rule:Sums", 10, 0.8, 0.9],
    ["people", 4, 0.9, 0.94],
    ["open", 6, 0.94, 1],
  ]);
});

test("what people undid since is open, and no step of its own", () => {
  const steps = waterfallOf({ waterfall: [step("Same reference", 40)] }, { matched_count: 78, unmatched_count: 2 });
  expect(steps.map(({ key }) => key)).toEqual(["all", "rule:Same reference", "open"]);
  expect(steps.at(-1)?.to).toBe(1);
});

test("a period without lines has steps without width", () => {
  expect(waterfallOf({ waterfall: [] }, { matched_count: 0, unmatched_count: 0 }).at(-1)).toMatchObject({ lines: 0, from: 0, to: 0 });
});

test("currencies are named once", () => {
  expect(currenciesOf({ waterfall: [step("a", 1, "USD"), step("b", 1), step("c", 1, "USD")] })).toEqual(["EUR", "USD"]);
});
