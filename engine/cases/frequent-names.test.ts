/** Payers whose names consist of words that many other names have. */
import { describe, expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

/** Payments whose payers share one word each with Bauer Handel. */
const others: CaseLine[] = Array.from({ length: 40 }, (_, at) => ({
  id: `o${at}`,
  amount: `${311 + 17 * at}.${10 + at}`,
  date: `2026-03-${String(2 + (at % 20)).padStart(2, "0")}`,
  description: `SEPA CT IN ${at % 2 ? "BAUER" : "HANDEL"} FIRMA${at}X`,
}));

/** There are too many lines for either word of the name to identify one. */
const many: CaseLine[] = Array.from({ length: 150 }, (_, at) => ({
  id: `m${at}`,
  amount: `${2311 + 17 * at}.${10 + (at % 80)}`,
  date: `2026-03-${String(2 + (at % 26)).padStart(2, "0")}`,
  description: `SEPA CT IN ${at % 2 ? "BAUER" : "HANDEL"} FIRMA${at}X`,
}));

describe("a payer with a frequent name", () => {
  test("has an invoice suggested that several payments of that name add up to", () => {
    const invoice = {
      id: "i",
      amount: "1214.56",
      date: "2026-03-04",
      reference: "RE-7781",
      counterparty: "Bauer Handel GmbH",
    };
    const part = (id: string, amount: string, date: string): CaseLine => ({
      id,
      amount,
      date,
      description: "SEPA CT IN BAUER HANDEL GMBH",
    });
    const parts = [
      part("a", "404.85", "2026-03-06"),
      part("b", "404.85", "2026-03-12"),
      part("c", "404.86", "2026-03-18"),
    ];
    const { confirmed, suggested } = solveCase([invoice], [...many, ...parts]);
    expect([...confirmed, ...suggested]).toContain("i|a,b,c");
  });

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
