import { expect, test } from "vitest";
import type { BoardPeriod, NextPeriod } from "#lib/matching/closing-board/contract.ts";
import { describeCarried, describeRules, openingsOf } from "./opening.ts";

const next = (follows: string, name: string) =>
  ({ follows, name, left_source: "Bank", right_source: "Ledger" }) as NextPeriod;

test("the periods to open are listed by pair, in order", () => {
  const items = [next("rcn_a", "October"), next("rcn_b", "Week 41"), next("rcn_a", "November")];
  expect(
    openingsOf(items).map(({ follows, periods }) => [follows, periods.map(({ name }) => name)]),
  ).toEqual([
    ["rcn_a", ["October", "November"]],
    ["rcn_b", ["Week 41"]],
  ]);
});

test("describes carried lines by their number and their amounts", () => {
  const open = { currency: "EUR", side: "left", open_minor: 485_000 } as const;
  const sources = { left_source: "Bank", right_source: "Ledger" };
  const period = (open_lines: number, open_money: BoardPeriod["open_money"]) =>
    describeCarried({ open_lines, open_money }, sources);
  expect(period(0, [])).toBe("No open lines to carry over.");
  expect(period(1, [open])).toBe("1 open line is carried over: Bank €4,850.00.");
  expect(period(10, [open, { ...open, side: "right" }])).toBe(
    "10 open lines are carried over: Bank €4,850.00, Ledger €4,850.00.",
  );
});

test("describes the rules and the assignee that a new period takes over", () => {
  const rules = [{}, {}] as never;
  const exceptions = { assigned_to: "user:leo" } as never;
  expect(
    describeRules({ version: 3, rules, review_levels: 2, four_eyes: true, exceptions }),
  ).toEqual([
    "2 rules, version 3",
    "Needs 2 reviews and a second person to close",
    "Exceptions go to leo",
  ]);
  expect(
    describeRules({
      version: 0,
      rules,
      review_levels: 0,
      four_eyes: false,
      exceptions: { assigned_to: null } as never,
    }),
  ).toEqual(["2 rules, the defaults", "Needs no review", "Exceptions stay unassigned"]);
});
