import { expect, test } from "vitest";
import { formatMoney } from "./money.ts";

test.each([
  [125000, "EUR", "€1,250.00"],
  [125000, "JPY", "¥125,000"],
  [125000, "BHD", "BHD 125.000"],
  [0, "USD", "$0.00"],
])("%i minor units of %s are %s", (amount, currency, text) => {
  expect(formatMoney(amount, currency).replace(/\u00a0/g, " ")).toBe(text);
});
