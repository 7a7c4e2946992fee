import { expect, test } from "vitest";
import { pairCurrency, pairMoney } from "./pair-currency.ts";

test("a pair's amounts have the currency of its lines, or of its sources before a run", () => {
  expect(pairCurrency(["USD"], ["EUR", "EUR"])).toEqual({ code: "USD", isOnly: true });
  expect(pairCurrency([], ["EUR", "EUR"])).toEqual({ code: "EUR", isOnly: true });
  expect(pairCurrency([], ["JPY", undefined])).toEqual({ code: "JPY", isOnly: true });
});

test("amounts of a pair with several currencies show no currency, and never minor units", () => {
  const several = pairCurrency(["CHF", "EUR"], []);
  expect(several.isOnly).toBe(false);
  expect(pairMoney(150, several)).toBe("1.50");
  expect(pairMoney(150, pairCurrency(["EUR"], []))).toBe("€1.50");
});
