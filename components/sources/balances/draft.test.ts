import { expect, test } from "vitest";
import { balanceOf, missingInBalance } from "./draft.ts";

const draft = { day: "2026-10-31", amount_minor: "11.876,50", reason: "Trial balance" };

test.each([
  ["11,876.50", 1_187_650],
  ["11.876,50", 1_187_650],
  ["-12.5", -1250],
  ["0", 0],
])("the typed balance %s is stated as %s minor units", (amount_minor, minor) => {
  const typed = { ...draft, amount_minor };
  expect(missingInBalance(typed, "EUR")).toEqual({});
  expect(balanceOf(typed, "EUR")).toEqual({ ...typed, amount_minor: minor });
});

test("a balance without a readable amount is not sent", () => {
  expect(missingInBalance({ day: "", amount_minor: "much", reason: " " }, "EUR")).toEqual({
    day: "Choose the day at whose end it holds.",
    amount_minor: "Enter an amount, for example 11,876.50.",
    reason: "Say where the balance is from.",
  });
});
