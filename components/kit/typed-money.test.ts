import { expect, test } from "vitest";
import { shownAmount, typedMinor } from "./typed-money.ts";

test.each([
  ["", "EUR", null],
  ["50", "EUR", 5000],
  ["1,250.50", "EUR", 125_050],
  ["50", "JPY", 50],
  ["-1", "EUR", Number.NaN],
  ["fifty", "EUR", Number.NaN],
])("the typed amount %s in %s is %s minor units", (typed, currency, minor) => {
  expect(typedMinor(typed, currency)).toBe(minor);
});

test("a field keeps the typed text while it means the same amount, and follows other changes", () => {
  expect(shownAmount("1,250.5", 125_050, "EUR")).toBe("1,250.5");
  expect(shownAmount("fifty", Number.NaN, "EUR")).toBe("fifty");
  expect(shownAmount("fifty", 5000, "EUR")).toBe("50.00");
  expect(shownAmount("", 5000, "EUR")).toBe("50.00");
  expect(shownAmount("50", null, "EUR")).toBe("");
});
