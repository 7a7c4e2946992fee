import { expect, test } from "vitest";
import { formatMoney } from "./money.ts";

test.each([
  [125000, "EUR", "€1,250.00"],
  [125000, "JPY", "¥125,000"],
  [125000, "BHD", "BHD 125.000"],
  [0, "USD", "$0.00"],
  ["-900719925474099312", "EUR", "-€9,007,199,254,740,993.12"],
  ["90071992547409931", "JPY", "¥90,071,992,547,409,931"],
  ["-7", "EUR", "-€0.07"],
])("%s minor units of %s are %s", (amount, currency, text) => {
  expect(formatMoney(amount, currency).replace(/\u00a0/g, " ")).toBe(text);
});
