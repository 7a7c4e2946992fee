/** Discounts that no line states: with check digits in the numbers, and on a single invoice. */
import { expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

const due = (at: number, amount: string): CaseLine => ({
  id: `i${at}`,
  amount,
  date: `2026-03-${String(2 + (at % 9)).padStart(2, "0")}`,
  reference: `#0${31_370 + at}`,
  counterparty: "Westerly & Landscaping Corp",
});
const dues = Array.from({ length: 14 }, (_, at) => due(at, `${211 + 37 * at}.${13 + 5 * at}`));

/** The check digit of a number by Luhn's algorithm. */
function withCheckDigit(number: string): string {
  const total = [...number].reverse().reduce((sum, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
  return `${number}${(10 - (total % 10)) % 10}`;
}

test("a payment that quotes invoices with a check digit is their sum less a discount", () => {
  const paid = [3, 9].map((at) => dues[at] as CaseLine);
  const gross = paid.reduce((sum, { amount }) => sum + Number(amount), 0);
  const quoted = paid.map(({ reference = "" }) => withCheckDigit(reference.slice(2)));
  const payment = {
    id: "p",
    amount: (gross * 0.98).toFixed(2),
    date: "2026-03-14",
    description: `SEPA CT IN WESTERLY & LANDS ${quoted.join(", ")}`,
  };
  const { confirmed, suggested, noteOf } = solveCase(dues, [payment]);
  expect([confirmed, suggested]).toEqual([[], ["i3,i9|p"]]);
  expect(noteOf("i3,i9|p")).toContain("a discount of 2 %");
});

test("a payment that only has the name is one invoice less a discount", () => {
  const dues = [due(1, "1234.00"), due(2, "2711.50")];
  const payment = {
    id: "p",
    amount: "1196.98",
    date: "2026-03-19",
    description: "SEPA CT IN WESTERLY & LANDSCAPING CORP",
  };
  const { confirmed, suggested, noteOf } = solveCase(dues, [payment]);
  expect([confirmed, suggested]).toEqual([[], ["i1|p"]]);
  expect(noteOf("i1|p")).toContain("a discount of 3 %");
});
