import { expect, test } from "vitest";
import { formatMoney, parseMoney, plainMoney } from "./money.ts";

test.each([
  [125000, "EUR", "€1,250.00"],
  [125000, "JPY", "¥125,000"],
  [125000, "BHD", "BHD 125.000"],
  [0, "USD", "$0.00"],
  ["-900719925474099312", "EUR", "-€9,007,199,254,740,993.12"],
  ["90071992547409931", "JPY", "¥90,071,992,547,409,931"],
  ["-7", "EUR", "-€0.07"],
])("formats %s minor units of %s as %s", (amount, currency, text) => {
  expect(formatMoney(amount, currency).replace(/\u00a0/g, " ")).toBe(text);
});

test.each([
  ["1250", "EUR", 125000],
  ["12.5", "EUR", 1250],
  ["-1,250.00", "EUR", -125000],
  ["1.250,00", "EUR", 125000],
  ["1,250", "EUR", 125000],
  ["1 250,5", "EUR", 125050],
  ["125,000", "JPY", 125000],
  ["1.250", "BHD", 1250],
  [".", "EUR", null],
  ["12.345", "JPY", 12345],
  ["1,25,00", "EUR", null],
  ["12.3.4", "EUR", null],
  ["twelve", "EUR", null],
  ["9007199254740993", "JPY", null],
])("parses the amount %s in %s as %s minor units", (typed, currency, minor) => {
  expect(parseMoney(typed, currency)).toBe(minor);
});

test.each([
  [-1250, "EUR", "-12.50"],
  [125000, "JPY", "125000"],
])("shows %i minor units of %s as %s in a field", (minor, currency, typed) => {
  expect(plainMoney(minor, currency)).toBe(typed);
});
