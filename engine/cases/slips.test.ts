/** A difference that is a typing slip is not a fee, so a person reviews it. */
import { describe, expect, test } from "vitest";
import type { Rule } from "../rules.ts";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

const NAMES = ["Kranich Stahl", "Muster Druck", "Nordlicht Handel", "Weber Optik", "Falk Reisen"];

/** Invoices and their payments, each less the amount that `less` returns. */
function paid(count: number, less: (at: number) => number): [CaseLine[], CaseLine[]] {
  const places = Array.from({ length: count }, (_, at) => at);
  const name = (at: number) => `${NAMES[at % NAMES.length]} ${at} GmbH`;
  const amount = (at: number) => (118_137 + 7919 * at) / 100;
  return [
    places.map((at) => ({
      id: `i${at}`,
      amount: amount(at).toFixed(2),
      date: `2026-03-${String(1 + (at % 20)).padStart(2, "0")}`,
      reference: `RE-2026${5100 + 7 * at}`,
      counterparty: name(at),
    })),
    places.map((at) => ({
      id: `p${at}`,
      amount: (amount(at) - less(at)).toFixed(2),
      date: `2026-03-${String(4 + (at % 20)).padStart(2, "0")}`,
      description: `${name(at)} RE-2026${5100 + 7 * at}`,
    })),
  ];
}

const invoice = (amount: string): CaseLine => ({
  id: "a",
  amount,
  date: "2026-03-02",
  reference: "RE-20264711",
  counterparty: "Alpha Bau GmbH",
});
const payment = (amount: string): CaseLine => ({
  id: "b",
  amount,
  date: "2026-03-05",
  description: "Alpha Bau GmbH RE-20264711",
});
const [lefts, rights] = paid(30, () => 0);

describe("an amount with a slip of typing, under the same number", () => {
  test.each([
    ["1234.56", "1243.56", "In the amount two digits are swapped."],
    ["1243.56", "1234.56", "In the amount two digits are swapped."],
    ["1234.56", "1234.65", "In the amount two digits are swapped."],
    ["-1234.56", "-1243.56", "In the amount two digits are swapped."],
    ["1248.56", "1243.56", "In the amount one digit differs."],
    ["1243.56", "1243.51", "In the amount one digit differs."],
    ["2.65", "26.50", "One amount is the other with its decimal point moved."],
  ])("%s and %s are suggested, and the note names the slip", (booked, received, note) => {
    for (const [left, right] of [
      [
        [...lefts, invoice(booked)],
        [...rights, payment(received)],
      ],
      [[invoice(booked)], [payment(received)]],
    ] as const) {
      const { confirmed, suggested, noteOf } = solveCase(left, right);
      expect(confirmed).not.toContain("a|b");
      expect(suggested).toContain("a|b");
      expect(noteOf("a|b")).toContain(note);
    }
  });

  test("a decimal point moved in a larger amount is named as well", () => {
    const { confirmed, suggested, noteOf } = solveCase(
      [...lefts, invoice("1234.50")],
      [...rights, payment("123.45")],
    );
    expect([confirmed.includes("a|b"), suggested]).toEqual([false, ["a|b"]]);
    expect(noteOf("a|b")).toContain("One amount is the other with its decimal point moved.");
  });

  test("a fee that is no slip stays automatic", () => {
    const { confirmed } = solveCase(
      [...lefts, invoice("1234.56")],
      [...rights, payment("1222.06")],
    );
    expect(confirmed).toContain("a|b");
  });

  test("a fee that a text states stays automatic, whatever its digits look like", () => {
    const returned = { ...payment("-1006.17"), description: "Return AM04 RE-20264711 ENTG.3,00" };
    const { confirmed } = solveCase([...lefts, invoice("-1003.17")], [...rights, returned]);
    expect(confirmed).toContain("a|b");
  });

  test("a fee that other matches have stays automatic, whatever its digits look like", () => {
    const [booked, received] = paid(30, (at) => (at % 4 === 0 ? 9 : 0));
    const { confirmed } = solveCase(
      [...booked, invoice("1243.56")],
      [...received, payment("1234.56")],
    );
    expect(confirmed).toContain("a|b");
  });
});

describe("a rule that names a tolerance", () => {
  const tolerance = (minor: number): Rule[] => [
    {
      name: "Tolerance",
      kind: "tolerance",
      on: ["reference"],
      amount_tolerance_minor: minor,
      days_before: 5,
      days_after: 5,
      then: "match",
    },
  ];
  const under = (minor: number, booked: string, received: string) =>
    solveCase([invoice(booked)], [{ ...payment(received), reference: "RE-20264711" }], {
      rules: tolerance(minor),
    });

  test("leaves swapped digits to a person, and says so", () => {
    const { confirmed, noteOf } = under(1000, "1243.56", "1234.56");
    expect(confirmed).toEqual([]);
    expect(noteOf("a|b")).toContain("In the amount two digits are swapped.");
  });

  test.each([
    [1000, "1243.56", "1236.11"],
    [5, "1243.56", "1243.51"],
    [50, "1243.56", "1243.51"],
  ])("of %d takes %s and %s", (minor, booked, received) => {
    expect(under(minor, booked, received).confirmed).toEqual(["a|b"]);
  });

  test("leaves a key's lines to a person whose sum has swapped digits", () => {
    const rules: Rule[] = [
      {
        name: "Key",
        kind: "group",
        on: ["group_key"],
        amount_tolerance_minor: 1000,
        then: "match",
      },
    ];
    const part = (id: string, amount: string) => ({
      id,
      amount,
      date: "2026-03-02",
      group_key: "po_1",
    });
    const { confirmed, suggested, noteOf } = solveCase(
      [part("a", "1000.00"), part("b", "243.56")],
      [part("c", "1234.56")],
      { rules },
    );
    expect([confirmed, suggested]).toEqual([[], ["a,b|c"]]);
    expect(noteOf("a,b|c")).toContain("In the amount two digits are swapped.");
  });
});
