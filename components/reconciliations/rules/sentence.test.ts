import { expect, test } from "vitest";
import { moved, type Rule, sentenceOf } from "./sentence.ts";

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
])("a rule is read as a sentence: %#", (rule, sentence) => {
  expect(sentenceOf(rule, money)).toBe(sentence);
});

test("a rule moves up and down, and not beyond the ends", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b"], 0, -1)).toEqual(["a", "b"]);
  expect(moved(["a", "b"], 1, 2)).toEqual(["a", "b"]);
});
