/** Payers whose names have only words that many others have. */
import { describe, expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

/** Payments whose payers share one word each with Bauer Handel. */
const others: CaseLine[] = Array.from({ length: 40 }, (_, at) => ({
  id: `o${at}`,
  amount: `${311 + 17 * at}.${10 + at}`,
  date: `2026-03-${String(2 + (at % 20)).padStart(2, "0")}`,
  description: `SEPA CT IN ${at % 2 ? "BAUER" : "HANDEL"} FIRMA${at}X`,
}));

describe("a payer with a frequent name", () => {
  test("has a returned payment suggested as a reversal", () => {
    const paid = {
      id: "p",
      amount: "83.80",
      date: "2026-03-09",
      description: "SEPA CT IN BAUER HANDEL",
    };
    const back = {
      id: "x",
      amount: "-83.80",
      date: "2026-03-11",
      description: "RETURNED ITEM NSF BAUER HANDEL",
    };
    expect(solveCase([], [...others, paid, back]).suggested).toEqual(["|p,x"]);
  });
});
