import { describe, expect, test } from "vitest";
import { combinationHashOf } from "../content-hash.ts";
import { type Input, match, type Result } from "../engine.ts";
import { explain } from "../explain.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import { DEFAULT_RULES } from "../rules.ts";
import { suggestFor } from "../suggest-for.ts";

type Given = Partial<Line>;

/** A booking, and its reversal three days later. */
const BOOKED = { reference: "INV-77123", amount_minor: -123_457, counterparty: "Adler GmbH" };
const BACK = { amount_minor: 123_457, value_date: 20_003 };

function whole(line: Given, handle: number): Line {
  return {
    handle,
    identity: String(handle),
    amount_minor: 10_000,
    currency: "EUR",
    value_date: 20_000,
    ...line,
  };
}

function columns(side: "left" | "right", given: readonly Given[]): Lines {
  const lines = new Lines(side, given.length);
  for (const [handle, line] of given.entries()) lines.add(whole(line, handle));
  return lines;
}

function solve(
  left: readonly Given[],
  right: readonly Given[] = [],
  more: Partial<Input> = {},
): Result {
  const result = match({
    left: columns("left", left),
    right: columns("right", right),
    rules: DEFAULT_RULES,
    ...more,
  });
  expect(checkInvariants(result)).toEqual([]);
  return result;
}

function members(result: Result, state: "confirmed" | "suggested" = "confirmed"): string[] {
  const { length } = result[state];
  return Array.from(
    { length },
    (_, at) => `${[...result[state].left(at)].sort()}|${[...result[state].right(at)].sort()}`,
  ).sort();
}

describe("a line that names what it reverses", () => {
  test.each([
    ["a suffix", { reference: "INV-77123-V" }],
    ["a prefix", { reference: "REV INV-77123" }],
    ["a prefix and other gaps", { reference: "R-inv 77123" }],
    ["a suffix without a gap", { reference: "77123VOID" }],
    ["a letter next to the number", { reference: "77123R" }],
    ["words around the reference", { reference: "Reversal of INV-77123" }],
    [
      "words that quote the reference",
      { reference: "J-9", description: "Storno Rechnung INV 77123 vom 3.10." },
    ],
    [
      "words that quote its number",
      { reference: null, description: "CANCELLED PAYMENT 77123 ADLER" },
    ],
    [
      "the same reference and a word",
      { reference: "INV-77123", description: "void", value_date: 20_012 },
    ],
  ])("is matched with it: %s", (_, back) => {
    const result = solve([BOOKED, { ...BACK, counterparty: "ADLER", ...back }]);
    expect(members(result)).toEqual(["0,1|"]);
    expect(explain(result, "confirmed", 0)).toMatchObject({ rule: "Reversals", held: null });
  });

  test("is explained by its text", () => {
    const result = solve([BOOKED, { ...BACK, reference: "INV-77123-V" }]);
    expect(explain(result, "confirmed", 0).note).toBe("“INV-77123-V” names “INV-77123”.");
  });

  test("is found on the right side, and by a text that is equal but for the mark", () => {
    const right = [
      { description: "CHECK 1042 ADLER", amount_minor: -123_457 },
      { ...BACK, description: "VOID CHECK 1042 ADLER" },
    ];
    expect(members(solve([], right))).toEqual(["|0,1"]);
  });

  test.each([
    ["no word marks a reversal", { description: "see INV-77123" }],
    ["the name has no number", { description: "Void coffee" }],
    ["another counterparty is given", { reference: "INV-77123-V", counterparty: "Becker" }],
  ])("is only suggested where %s", (_, back) => {
    const result = solve([
      { ...BOOKED, description: "Coffee" },
      { ...BACK, ...back },
    ]);
    expect(members(result)).toEqual([]);
    expect(members(result, "suggested")).toEqual(["0,1|"]);
    expect(explain(result, "suggested", 0).held).toBe("score");
  });

  test("is only suggested if it names two lines, or if two lines name one", () => {
    const other = { ...BOOKED, value_date: 20_001 };
    expect(members(solve([BOOKED, other, { ...BACK, reference: "INV-77123-V" }]))).toEqual([]);
    const again = { ...BACK, value_date: 20_005, reference: "REV 77123" };
    const result = solve([BOOKED, { ...BACK, reference: "INV-77123-V" }, again]);
    expect(members(result)).toEqual([]);
    expect(result.suggested.length).toBe(1);
    expect(explain(result, "suggested", 0).held).toBe("margin");
  });

  test("is only suggested if the other side has the named line", () => {
    const across = {
      amount_minor: -123_457,
      value_date: 20_001,
      description: "SEPA 77123 ANOTHER PAYER",
    };
    const result = solve([BOOKED, { ...BACK, reference: "INV-77123-V" }], [across]);
    expect(result.waterfall.rules.find(({ name }) => name === "Reversals")?.matches).toBe(0);
  });

  test.each([
    ["the amounts are not opposite", { ...BACK, amount_minor: 123_456, reference: "INV-77123-V" }],
    ["the currency is another", { ...BACK, currency: "USD", reference: "INV-77123-V" }],
    [
      "it precedes the line that it would reverse",
      { ...BACK, value_date: 19_980, reference: "INV-77123-V" },
    ],
    ["it names another number", { ...BACK, reference: "INV-77124-V" }],
    ["it names nothing", { ...BACK, reference: "VOID" }],
  ])("is not matched where %s", (_, back) => {
    const result = solve([BOOKED, back]);
    expect(result.confirmed.length + result.suggested.length).toBe(0);
  });

  test("is not repeated after a person rejected it", () => {
    const rejected = new Set([combinationHashOf(["0", "1"], [])]);
    const result = solve([BOOKED, { ...BACK, reference: "INV-77123-V" }], [], { rejected });
    expect(result.confirmed.length + result.suggested.length).toBe(0);
  });
});

describe("a voided check", () => {
  const check = {
    reference: "CHK-4866",
    description: "Check #4866 to Northside Supply",
    amount_minor: -123_457,
    counterparty: "Northside Supply LLC",
  };
  const voided = (given: Given) => ({ ...BACK, counterparty: "Northside Supply", ...given });

  test.each([
    [{ reference: "CHK-4866-V" }],
    [{ reference: "CHK-4866-VOID", value_date: 20_014 }],
    [{ reference: "VOID CHK 4866" }],
    [{ reference: "4866V" }],
    [{ reference: "4866-V" }],
    [{ reference: "V4866" }],
    [{ reference: "REV 4866" }],
    [{ reference: "REV-CHK-4866" }],
    [{ reference: "CHK 4866 REVERSED" }],
    [{ reference: "STORNO 4866" }],
    [{ reference: "JE-20871", description: "Reversal of CHK-4866" }],
    [{ reference: "JE-20871", description: "VOID - Check #4866 to Northside" }],
    [{ reference: null, description: "Returned check 4866" }],
    [{ reference: "CHK-4866", description: "Void", value_date: 20_014 }],
    [{ reference: "CHK-4866-V", counterparty: null }],
  ] as [Given][])("is confirmed with %j", (given) => {
    expect(members(solve([check, voided(given)]))).toEqual(["0,1|"]);
  });

  test.each([
    ["another number around it", { reference: "CHK-14866-V" }, undefined],
    ["a longer number", { reference: "48660V" }, undefined],
    ["another payee", { reference: "CHK-4866-V", counterparty: "Harbor Tools" }, undefined],
    ["another amount", { reference: "CHK-4866-V", amount_minor: 123_456 }, undefined],
    ["another check of that number", { reference: "4866V" }, { ...check, value_date: 20_002 }],
    [
      "another void of it",
      { reference: "CHK-4866-V" },
      voided({ reference: "VOID CHK 4866", value_date: 20_001 }),
    ],
  ] as [string, Given, Given | undefined][])("is at most suggested with %s", (_, given, other) => {
    expect(members(solve([check, voided(given), ...(other ? [other] : [])]))).toEqual([]);
  });
});

describe("a double charge that is reversed", () => {
  const charge = { amount_minor: -8400, description: "PY *LINDGREN #9556 EUGENE OR" };
  const credit = {
    ...charge,
    amount_minor: 8400,
    description: `CREDIT ADJ ${charge.description}`,
    value_date: 20_008,
  };
  const report = { amount_minor: -8400, counterparty: "Lindgren Seeds" };
  const found = (left: Given[], right: Given[]) => {
    const result = solve(left, right);
    return [...members(result), ...members(result, "suggested")].sort();
  };

  test("is suggested: the second one is reversed, the first one has the counterpart", () => {
    const right = [charge, { ...charge, value_date: 20_004 }, credit];
    expect(found([report], right)).toEqual(["0|0", "|1,2"]);
  });

  test("is left open if the other side has two charges too", () => {
    const right = [charge, { ...charge, value_date: 20_004 }, credit];
    const second = { ...report, value_date: 20_004 };
    expect(found([report, second], right)).toEqual(["0|0", "1|1"]);
  });
});

describe("a cancelled line", () => {
  const parts = [
    { amount_minor: 88_123, counterparty: "Becker" },
    { amount_minor: 41_999, counterparty: "Becker" },
  ];
  const filling = { amount_minor: 30_011, counterparty: "Becker", reference: "INV-500123" };
  const total = [{ amount_minor: 88_123 + 30_011, value_date: 20_002, counterparty: "Becker" }];

  test("never fills a sum, whether its reversal is sure or not", () => {
    expect(members(solve([...parts, filling], total))).toEqual(["0,2|0"]);
    const sure = solve(
      [...parts, filling, { ...filling, amount_minor: -30_011, reference: "INV-500123-V" }],
      total,
    );
    expect(members(sure)).toEqual(["2,3|"]);
    const unsure = solve(
      [
        ...parts,
        filling,
        { ...filling, amount_minor: -30_011, reference: null, description: "see 500123" },
      ],
      total,
    );
    expect(members(unsure)).toEqual([]);
    expect(members(unsure, "suggested")).toContain("2,3|");
  });

  test("is no counterpart of a line of the other side, nor is its reversal", () => {
    const candidates = [BOOKED, { ...BACK, reference: "INV-77123-V" }].map(whole);
    expect(
      suggestFor({
        line: whole({ amount_minor: 999 }, 9),
        side: "right",
        candidates,
        rules: DEFAULT_RULES,
      }),
    ).toEqual([]);
  });
});
