import { expect, test } from "vitest";
import { moved, outcomeOf, type Rule, sentenceOf } from "./sentence.ts";

const money = (minor: number) => `€${(minor / 100).toFixed(2)}`;

test.each<[Rule, string]>([
  [
    { name: "a", kind: "exact", on: ["reference", "value_date"], then: "match" },
    "Same amount, reference and value date, unique on both sides.",
  ],
  [
    {
      name: "b",
      kind: "tolerance",
      amount_tolerance_minor: 100,
      days_before: 3,
      days_after: 3,
      day_kind: "business",
      then: "match",
    },
    "Amounts at most €1.00 apart. Within 3 business days.",
  ],
  [
    {
      name: "c",
      kind: "score",
      amount_tolerance_bps: 9500,
      days_before: 5,
      days_after: 31,
      residual: "none",
      then: "suggest",
    },
    "The most likely pairs on all evidence. Amounts at most 95 % apart. " +
      "Right line 5 days before to 31 days after the left. The difference stays open.",
  ],
  [
    { name: "d", kind: "group", max_group_size: 4, then: "suggest" },
    "One line and up to 4 others that add up to it.",
  ],
  [
    {
      name: "e",
      kind: "reversal",
      on: ["reference"],
      days_before: 5,
      days_after: 45,
      then: "match",
    },
    "Lines on one side that cancel each other with the same reference. " +
      "The reversal 5 days before to 45 days after the booking.",
  ],
])("a rule is read as a sentence: %#", (rule, sentence) => {
  expect(sentenceOf(rule, money)).toBe(sentence);
});

test.each([
  [{ kind: "exact", then: "match" }, "earned", "matches"],
  [{ kind: "score", then: "match" }, "earned", "suggests until proven"],
  [{ kind: "score", then: "match" }, "always", "matches"],
  [{ kind: "score", then: "match" }, "suggest_only", "suggests only"],
  [{ kind: "group", then: "match" }, "earned", "suggests until proven"],
  [{ kind: "group", on: ["group_key"], then: "match" }, "earned", "matches"],
  [{ kind: "exact", then: "suggest" }, "always", "suggests only"],
] as const)("%o under %s matching %s", (rule, automatic, outcome) => {
  const named = { name: "a", ...rule } as Rule;
  expect(outcomeOf(named, { automatic, proven: false })).toBe(outcome);
});

test("a rule moves up and down, and not beyond the ends", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b"], 0, -1)).toEqual(["a", "b"]);
  expect(moved(["a", "b"], 1, 2)).toEqual(["a", "b"]);
});
