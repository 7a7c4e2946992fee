import { expect, test } from "vitest";
import { toDecimal, toMinor } from "../src/index.ts";

test.each([
  [125000, "EUR", "1250.00"],
  [-5, "EUR", "-0.05"],
  [0, "EUR", "0.00"],
  [1250, "JPY", "1250"],
  [-1, "KWD", "-0.001"],
  [9007199254740991, "EUR", "90071992547409.91"],
])("%i minor units of %s are %s, both ways", (minor, currency, decimal) => {
  expect(toDecimal(minor, currency)).toBe(decimal);
  expect(toMinor(decimal, currency)).toBe(minor);
});

test("an amount beyond exact integers has to be a bigint or a string", () => {
  expect(toDecimal("900719925474099100", "EUR")).toBe("9007199254740991.00");
  expect(() => toDecimal("1.5", "EUR")).toThrow(RangeError);
  expect(toDecimal(-900719925474099100n, "EUR")).toBe("-9007199254740991.00");
  expect(() => toDecimal(2 ** 53, "EUR")).toThrow(RangeError);
  expect(() => toDecimal(0.1, "EUR")).toThrow(RangeError);
});

test.each([
  ["1.001", "EUR"],
  ["1.5", "JPY"],
  ["1e3", "EUR"],
  ["", "EUR"],
  ["1,000.00", "EUR"],
  ["90071992547409.92", "EUR"],
])("%s %s is refused, not rounded", (decimal, currency) => {
  expect(() => toMinor(decimal, currency)).toThrow(RangeError);
});
