import { describe, expect, test } from "vitest";
import { type CaseLine, columns, solveCase } from "../cases/solve-case.test-support.ts";
import { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { lacksReference, statedNamesOf } from "./contradictions.ts";

type Given = Partial<CaseLine>;

const at = (id: string, given: Given): CaseLine => ({
  id,
  amount: "430.00",
  date: "2026-03-02",
  ...given,
});

/** The fields in which two lines contradict each other, as the only lines of their pair. */
function contradictions(left: Given, right: Given): string[] {
  const state = new RunState(
    columns("left", [at("l", left)]),
    columns("right", [at("r", right)]),
    new Set(),
  );
  state.isPastExactRules = true;
  return state.contradictions.of([0], [0]).map(({ field }) => field);
}

describe("two lines contradict each other", () => {
  test.each([
    ["by references of one kind", { reference: "712219" }, { reference: "900619" }],
    ["by references of two kinds", { reference: "INV-2041" }, { reference: "PO-99812" }],
    ["by a letter before the number", { reference: "A-20417" }, { reference: "B-20417" }],
    ["by two digits that are swapped", { reference: "RG20263105" }, { reference: "RG20263150" }],
    ["by a number in a text", { reference: "1041" }, { description: "Rechnung 1042" }],
    ["by a number in a number", { reference: "1041" }, { description: "Zahlung 810419" }],
    ["by check numbers", { description: "CHECK #4866" }, { description: "Check no. 4871 paid" }],
    [
      "by invoices of one customer",
      { reference: "INV-1041", description: "customer 998877" },
      { description: "INV 1042 customer 998877" },
    ],
  ] as [string, Given, Given][])("%s", (_, left, right) => {
    expect(contradictions(left, right)).toContain("reference");
    expect(contradictions(right, left)).toContain("reference");
  });

  test.each([
    ["counterparty", { counterparty: "EXAMPLE ALPHA" }, { counterparty: "SAMPLE BETA" }],
    ["counterparty", { counterparty: "Müller Bau GmbH" }, { counterparty: "Müller Reisen GmbH" }],
    ["counterparty", { counterparty: "Kunde 1 AB" }, { counterparty: "Kunde 2 AB" }],
    ["counterparty", { counterparty: "Hölzl S.r.l." }, { counterparty: "HOELZL GMBH & CO. KG" }],
    ["counterparty", { counterparty: "Alfa Sp. z o.o." }, { counterparty: "Alfa Limited" }],
    [
      "counterparty",
      { reference: "14", counterparty: "Alfa AB" },
      { reference: "14", counterparty: "Beta AB" },
    ],
    [
      "account",
      { description: "IBAN DE89 3704 0044 0532 0130 00" },
      { description: "an GB29NWBK60161331926819" },
    ],
    ["currency", { description: "USD 430.00" }, { description: "430,00 GBP wire" }],
  ] as [string, Given, Given][])("by their %s", (field, left, right) => {
    expect(contradictions(left, right)).toContain(field);
  });
});

describe("two lines don't contradict each other", () => {
  test.each([
    ["one of them names nothing", { reference: "INV-1041" }, { description: "SEPA CREDIT" }],
    ["prefixes differ", { reference: "INV-1041" }, { description: "Rechnung Nr. 001041" }],
    ["zeros lead", { reference: "0000022434" }, { reference: "22434" }],
    ["it has a check digit", { reference: "202601175" }, { reference: "2026-0117" }],
    [
      "the other reference is a bank's own number",
      { reference: "260316-733897", description: "RE50743" },
      { reference: "RE50743" },
    ],
    [
      "a long reference is equal, and another company pays",
      { reference: "RG202631905", counterparty: "Northside Hardware" },
      { description: "RG202631905", counterparty: "Nakamura AG" },
    ],
    [
      "a name is found in the other text",
      { counterparty: "PayPal Europe", description: "purchase at Musterfirma" },
      { counterparty: "Musterfirma GmbH" },
    ],
    [
      "a month is said",
      { reference: "1041", description: "rent 03/2026" },
      { description: "MIETE 03/2026 1041" },
    ],
  ] as [string, Given, Given][])("where %s", (_, left, right) => {
    expect(contradictions(left, right)).toEqual([]);
    expect(contradictions(right, left)).toEqual([]);
  });

  test.each([
    ["Nordbeispiel AB", "NORDBEISPIEL"],
    ["Hölzl & Okafor Spedition B.V.", "HOELZL & OK"],
    ["Hofmann, Katja", "Katja Hofmann"],
    ["J. Smith", "John Smith"],
    ["International Example Machines Inc.", "IEM"],
    ["Deutsche Beispiel GmbH", "Beispiel Deutschland GmbH"],
    ["Muster Bau", "MUSTERBAU"],
    ["Jon Smith", "John Smith"],
    ["Ærø Fisk ApS", "AERO FISK"],
    ["Hölzl GmbH", "HOELZL GMBH & CO. KG"],
    ["Hölzl S.à r.l.", "HOELZL SARL"],
    ["Hölzl S.p.A.", "HOELZL S"],
    ["Beispiel Limited", "Beispiel Ltd"],
  ])("by the names %s and %s", (a, b) => {
    expect(contradictions({ counterparty: a }, { counterparty: b })).toEqual([]);
    expect(contradictions({ counterparty: b }, { counterparty: a })).toEqual([]);
  });
});

describe("what contradicts itself is never confirmed", () => {
  const left = at("l", { reference: "712219", counterparty: "EXAMPLE ALPHA" });
  const right = at("r", { reference: "900619", counterparty: "SAMPLE BETA" });
  const rules: Rule[] = [
    { name: "exact", kind: "exact", on: ["value_date"], then: "match" },
    { name: "near", kind: "tolerance", amount_tolerance_minor: 500, days_after: 3, then: "match" },
    { name: "score", kind: "score", days_before: 3, days_after: 3, then: "match" },
    { name: "reference", kind: "reference", days_before: 3, days_after: 3, then: "match" },
  ];

  test.each(rules)("by a rule of the kind $kind", (rule) => {
    const { confirmed } = solveCase([left], [right], { rules: [rule] });
    expect(confirmed).toEqual([]);
  });

  test("as a sum of lines, or as their reversal", () => {
    const parts = ["130.00", "300.00"].map((amount, n) =>
      at(`r${n}`, { amount, reference: `90061${n}`, counterparty: "SAMPLE BETA" }),
    );
    const sums: Rule = {
      name: "sums",
      kind: "group",
      days_before: 3,
      days_after: 3,
      then: "match",
    };
    expect(solveCase([left], parts, { rules: [sums] }).confirmed).toEqual([]);
    const undone = { ...right, id: "u", amount: "-430.00" };
    const reversal: Rule = { name: "reversal", kind: "reversal", days_after: 3, then: "match" };
    expect(solveCase([left, undone], [], { rules: [reversal] }).confirmed).toEqual([]);
  });

  test("decisions of a person can equate two names", () => {
    const known = { left: "EXAMPLE ALPHA", right: "SAMPLE BETA", confirmed: 3 };
    const texts = { counterparty: "SAMPLE BETA", description: "payment" };
    const state = (names: (typeof known)[]) => {
      const more = { weights: { names } as never };
      const lines = new RunState(
        columns("left", [at("l", { counterparty: "EXAMPLE ALPHA" })]),
        columns("right", [at("r", texts)], more),
        new Set(),
      );
      return lines.contradictions.of([0], [0]);
    };
    expect(state([])).toHaveLength(1);
    expect(state([known])).toEqual([]);
  });
});

describe("whether a line has a reference that the other does not say", () => {
  const lacks = (left: Given, right: Given) =>
    lacksReference(
      statedNamesOf(columns("left", [at("l", left)]), 0),
      statedNamesOf(columns("right", [at("r", right)]), 0),
    );
  const card = "SQ *LAKESHORE PACKAGIN EUGENE OR";

  test.each([
    ["as a reference", { reference: "24093811781213549914811", description: card }, true],
    ["in its text", { description: `${card} 24093811781213549914811` }, true],
    ["but a day in its text", { description: "LAKESHORE PACKAGING 20260331" }, false],
    ["but no number", { description: card }, false],
  ] as [string, Given, boolean][])("%s", (_, right, expected) => {
    expect(lacks({ counterparty: "Lakeshore Packaging" }, right)).toBe(expected);
  });
});
