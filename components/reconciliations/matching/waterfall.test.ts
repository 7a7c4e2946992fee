import { expect, test } from "vitest";
import { currenciesOf, waterfallOf } from "./waterfall.ts";

const step = (rule: string, lines: number, currency = "EUR") => ({
  kind: "rule" as const,
  rule,
  matches: lines,
  suggested: 2,
  left_lines: lines,
  right_lines: lines,
  amounts: [{ currency, left_minor: 100, right_minor: 100 }],
});

const counts = (matched_count: number, unmatched_count: number) => ({
  matched_count,
  unmatched_count,
  excluded_count: 0,
  closed_at: null,
});

test("each step starts where the previous one ended, and the last ends with all lines", () => {
  const run = { waterfall: [step("Same reference", 40), step("Sums", 5)] };
  const steps = waterfallOf(run, counts(94, 6));
  expect(steps.map(({ key, lines, from, to }) => [key, lines, from, to])).toEqual([
    ["all", 100, 0, 1],
    ["rule:Same reference", 80, 0, 0.8],
    ["rule:Sums", 10, 0.8, 0.9],
    ["people", 4, 0.9, 0.94],
    ["open", 6, 0.94, 1],
  ]);
});

test("lines whose match was undone since are open, without a separate step", () => {
  const steps = waterfallOf({ waterfall: [step("Same reference", 40)] }, counts(78, 2));
  expect(steps.map(({ key }) => key)).toEqual(["all", "rule:Same reference", "open"]);
  expect(steps.at(-1)?.to).toBe(1);
});

test("exclusions are a step, and a closed period shows its steps at the close", () => {
  const others = [
    { ...step("manual", 3), kind: "people" as const },
    { ...step("excluded", 1), kind: "excluded" as const },
  ];
  const run = { waterfall: [step("Same reference", 40), ...others] };
  const linesOf = (closed_at: string | null) =>
    waterfallOf(run, { ...counts(88, 5), excluded_count: 4, closed_at }).map(({ key, lines }) => [
      key,
      lines,
    ]);
  expect(linesOf(null)).toEqual([
    ["all", 97],
    ["rule:Same reference", 80],
    ["people", 8],
    ["excluded", 4],
    ["open", 5],
  ]);
  expect(linesOf("2026-11-02T09:00:00.000Z")).toEqual([
    ["all", 93],
    ["rule:Same reference", 80],
    ["people", 6],
    ["excluded", 2],
    ["open", 5],
  ]);
});

test("a period without lines has steps of zero width", () => {
  expect(waterfallOf({ waterfall: [] }, counts(0, 0)).at(-1)).toMatchObject({
    lines: 0,
    from: 0,
    to: 0,
  });
});

test("each currency is listed once", () => {
  expect(
    currenciesOf({ waterfall: [step("a", 1, "USD"), step("b", 1), step("c", 1, "USD")] }),
  ).toEqual(["EUR", "USD"]);
});

test("suggestions are the step before open lines, each with its exact amount", () => {
  const item = (side: "left" | "right", matched: number | string, open: number | string) => ({
    currency: "EUR",
    side,
    lines: 0,
    matched,
    excluded: 0,
    open,
    adjustments: 0,
    residual: 0,
    holds: true,
  });
  const known = {
    proof: { items: [item("left", 150, "9007199254741093"), item("right", 150, 30)] },
    suggested: [
      { currency: "EUR", side: "left" as const, line_count: 2, open_minor: 20 },
      { currency: "EUR", side: "right" as const, line_count: 1, open_minor: 10 },
    ],
  };
  const steps = waterfallOf({ waterfall: [step("Same reference", 40)] }, counts(84, 6), known);
  expect(
    steps.map(({ key, lines, amounts }) => [
      key,
      lines,
      amounts?.[0]?.left_minor,
      amounts?.[0]?.right_minor,
    ]),
  ).toEqual([
    ["all", 90, "9007199254741243", 180],
    ["rule:Same reference", 80, 100, 100],
    ["people", 4, 50, 50],
    ["suggested", 3, 20, 10],
    ["open", 3, "9007199254741073", 20],
  ]);
  expect(steps.map(({ to }) => to).at(-1)).toBe(1);
});

test("a currency without matches is listed, too", () => {
  const item = {
    currency: "JPY",
    side: "left" as const,
    lines: 1,
    matched: 0,
    excluded: 0,
    open: 1,
    adjustments: 0,
    residual: 0,
    holds: true,
  };
  expect(currenciesOf({ waterfall: [step("a", 1)] }, { proof: { items: [item] } })).toEqual([
    "EUR",
    "JPY",
  ]);
});
