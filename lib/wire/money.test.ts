import fc from "fast-check";
import { expect, test } from "vitest";
import { CURRENCIES, decimalsOf } from "./currencies.ts";
import { minorAmount, plainAmount, standardAmount, wireAmount, writtenAmount } from "./money.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const minor = fc.maxSafeInteger();
const currency = fc.constantFrom("EUR", "JPY", "KWD", "CLF");

/** Formats with BigInt and padding, independently of the reader's arithmetic. */
function written(amount: number, decimals: number, point: string, group = ""): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, "0");
  const whole = digits
    .slice(0, digits.length - decimals)
    .replace(/\d(?=(?:\d{3})+$)/g, `$&${group}`);
  return (
    (amount < 0 ? "-" : "") +
    whole +
    (decimals > 0 ? point + digits.slice(digits.length - decimals) : "")
  );
}

test("reads every safe amount to the minor unit, in every notation", () => {
  fc.assert(
    fc.property(
      minor,
      currency,
      fc.constantFrom([".", ","], [",", "."], [".", "'"], [",", "\u00A0"], [",", " "]),
      (amount, code, [point, group]) => {
        const decimals = decimalsOf(code) ?? 0;
        const separator = point as "." | ",";
        const plain = written(amount, decimals, separator);
        expect(plainAmount(plain, decimals, separator)).toBe(amount);
        expect(standardAmount(plain, code, separator)).toBe(amount);
        const grouped = written(amount, decimals, separator, group);
        expect(writtenAmount(grouped, code, separator)).toBe(amount);
        const bare = grouped.replace("-", "");
        if (amount < 0)
          for (const text of [
            `${bare}-`,
            `(${bare})`,
            `${code} -${bare}`,
            `${bare} DR`,
            `\u2212${bare}`,
          ])
            expect(writtenAmount(text, code, separator)).toBe(amount);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("rejects an amount over ±(2⁵³ − 1) minor units and reads one at the limit", () => {
  for (const read of [
    (text: string) => wireAmount(text, "EUR"),
    (text: string) => standardAmount(text, "EUR", "."),
    (text: string) => writtenAmount(text, "EUR", "."),
  ]) {
    expect(read("90071992547409.91")).toBe(MAX);
    expect(read("-90071992547409.91")).toBe(-MAX);
    for (const text of [
      "90071992547409.92",
      "-90071992547409.92",
      "900719925474099.1",
      "9007199254740993",
      "1".repeat(400),
    ]) {
      expect(read(text)).toMatchObject({ problem: "The amount is too large." });
    }
  }
  expect(minorAmount("9007199254740991")).toBe(MAX);
  expect(minorAmount("9007199254740992")).toMatchObject({ problem: "The amount is too large." });
});

test("never returns an amount that differs from its digits", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[-+(]?[\d.,' ]{1,18}[-)]?$/),
      fc.constantFrom(".", ",", undefined),
      (text, separator) => {
        const amount = writtenAmount(text, "EUR", separator);
        if (typeof amount !== "number") return;
        expect(Number.isSafeInteger(amount) && !Object.is(amount, -0)).toBe(true);
        const digits = text.replace(/\D/g, "");
        // At most two decimals, so the digits are the amount, or lack one or two zeros at the end.
        expect(["", "0", "00"].map((zeros) => BigInt(digits + zeros))).toContain(
          BigInt(Math.abs(amount)),
        );
        expect(amount < 0).toBe(amount !== 0 && /[-(]/.test(text));
      },
    ),
    { numRuns: 5_000 },
  );
});

test.each<[string, string, "." | "," | undefined, number | string]>([
  ["1.234", "EUR", undefined, "as decimals or as thousands"],
  ["1,234", "KWD", undefined, "as decimals or as thousands"],
  ["0.123", "KWD", undefined, 123],
  ["1234.567", "KWD", undefined, 1_234_567],
  ["1.234,56", "EUR", undefined, 123_456],
  ["1,234.56", "EUR", undefined, 123_456],
  ["1.234.567", "EUR", undefined, 123_456_700],
  ["12,5", "EUR", undefined, 1_250],
  ["12", "EUR", undefined, 1_200],
  ["1.234", "EUR", ",", 123_400],
  ["1.234", "EUR", ".", "More decimals than EUR has."],
  ["1.00", "JPY", ".", "More decimals than JPY has."],
  ["1,5", "EUR", ".", "not an amount"],
  ["1.23.456", "EUR", ",", "not an amount"],
  ["12.34.56,00", "EUR", ",", "not an amount"],
  ["1,23,45,678.90", "INR", ".", 1_234_567_890],
  [".5", "EUR", ".", 50],
  ["5.", "EUR", ".", "not an amount"],
  ["--5", "EUR", ".", "not an amount"],
  ["(-5)", "EUR", ".", "not an amount"],
  ["(5", "EUR", ".", "not an amount"],
  ["5 CR", "EUR", ".", 500],
  ["-5 CR", "EUR", ".", "not an amount"],
  ["$5", "USD", ".", 500],
  ["$5", "EUR", ".", "another currency"],
  ["5 €", "EUR", ".", 500],
  ["EUR 5 EUR", "EUR", ".", "not an amount"],
  ["5 zł", "PLN", ".", 500],
  ["constructor 5", "EUR", ".", "not an amount"],
  ["5 __proto__", "EUR", ".", "not an amount"],
  ["٣", "EUR", ".", "not an amount"],
  ["0x10", "EUR", ".", "not an amount"],
  ["Infinity", "EUR", ".", "not an amount"],
  ["-0.00", "EUR", ".", 0],
])("%s in %s with decimal separator %s", (text, code, separator, expected) => {
  const amount = writtenAmount(text, code, separator);
  if (typeof expected === "number") expect(amount).toBe(expected);
  else expect(amount).toMatchObject({ problem: expect.stringContaining(expected) });
});

test("ignores zeros after the currency's decimals, and rejects other digits", () => {
  expect(standardAmount("18.15000", "EUR", ".")).toBe(1_815);
  expect(standardAmount("1000,00", "JPY", ",")).toBe(1_000);
  expect(standardAmount("12,", "EUR", ",")).toBe(1_200);
  expect(standardAmount("18.151", "EUR", ".")).toMatchObject({
    problem: "More decimals than EUR has.",
  });
  for (const text of ["", ",", "-", "1 2,00", "1.000,00"])
    expect(standardAmount(text, "EUR", ",")).toMatchObject({ problem: "This is not an amount." });
});

test("has the decimals of ISO 4217", () => {
  expect(["EUR", "JPY", "KWD", "CLF", "ISK", "TND", "HUF", "IQD", "UGX"].map(decimalsOf)).toEqual([
    2, 0, 3, 4, 0, 3, 2, 3, 0,
  ]);
  expect(["EUX", "eur", "", "XXX", "XAU", "__proto__"].map(decimalsOf)).toEqual(
    Array(6).fill(undefined),
  );
  expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length);
});
