import { describe, expect, test } from "vitest";
import { match, type Result } from "../engine.ts";
import { explain } from "../explain.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import { DEFAULT_RULES } from "../rules.ts";

type Given = Partial<Line>;

const AMOUNTS = [123_457, 41_999] as const;
const BYSTANDER = { amount_minor: 88_123, counterparty: "Novak" };

function columns(side: "left" | "right", given: readonly Given[]): Lines {
  const lines = new Lines(side, given.length);
  for (const [handle, line] of given.entries())
    lines.add({
      handle,
      identity: String(handle),
      amount_minor: 10_000,
      currency: "EUR",
      value_date: 20_000,
      ...line,
    });
  return lines;
}

/** Two lines, the line that is their sum, and an unrelated line. */
function solve(parts: readonly [Given, Given], total: Given): Result {
  const left = [
    ...parts.map((part, at) => ({ ...part, amount_minor: AMOUNTS[at] as number })),
    BYSTANDER,
  ];
  const right = [{ ...total, amount_minor: AMOUNTS[0] + AMOUNTS[1], value_date: 20_001 }];
  const result = match({
    left: columns("left", left),
    right: columns("right", right),
    rules: DEFAULT_RULES,
  });
  expect(checkInvariants(result)).toEqual([]);
  return result;
}

function sumIn(result: Result, state: "confirmed" | "suggested"): number {
  const { length } = result[state];
  return Array.from({ length }, (_, at) => at).findIndex(
    (at) => result[state].left(at).length === 2,
  );
}

test("a sum isn't confirmed if another line has the amount and name of one of its lines", () => {
  const named = (counterparty: string, amount_minor: number): Given => ({
    counterparty,
    amount_minor,
  });
  const left = [
    named("Adler Bakery", 40_000),
    named("Adler Bakery", 123_457),
    ...["Motors", "Seeds", "Signs"].map((trade, at) => named(`Adler ${trade}`, 70_111 + at)),
    ...Array.from({ length: 80 }, (_, at) => named(`Novak ${at % 9}`, 1000 * (at % 60))),
  ];
  const others = left.slice(5, 60).map((line) => ({ ...line, description: "CARD" }));
  const solved = (right: Given[]) =>
    match({
      left: columns("left", left),
      right: columns("right", [...right, ...others]),
      rules: DEFAULT_RULES,
    });
  const total = { description: "ADLER BAKERY", amount_minor: 163_457 };
  const singles = ["2366", "1180"].map((shop) => ({
    description: `TST ADLER ${shop}`,
    amount_minor: 40_000,
  }));
  expect(sumIn(solved([total]), "confirmed")).toBeGreaterThanOrEqual(0);
  expect(sumIn(solved([total, ...singles]), "confirmed")).toBe(-1);
});

test("each of two deposits of one batch is found among its lines", () => {
  const parts = [123_457, 41_999, 88_123, 61_417, 250_031, 33_337];
  const batch = parts.map(
    (amount_minor, at): Given => ({
      amount_minor,
      reference: `CK${at}`,
      description: "Lockbox 0330",
    }),
  );
  const others = Array.from(
    { length: 60 },
    (_, at): Given => ({
      amount_minor: 20_011 + 3571 * at,
      reference: `X${at}`,
      description: `Sale ${at}`,
    }),
  );
  const deposits = [parts.slice(0, 4), parts.slice(4)].map(
    (members): Given => ({
      amount_minor: members.reduce((sum, value) => sum + value),
      description: "DEPOSIT",
      value_date: 20_001,
    }),
  );
  const { confirmed, suggested } = match({
    left: columns("left", [...batch, ...others]),
    right: columns("right", deposits),
    rules: DEFAULT_RULES,
  });
  const found = [confirmed, suggested].flatMap((matches) =>
    Array.from({ length: matches.length }, (_, at) => [...matches.left(at)].sort()),
  );
  expect(found).toContainEqual([0, 1, 2, 3]);
  expect(found).toContainEqual([4, 5]);
});

describe("a sum, however rare", () => {
  test.each([
    [
      "of unrelated names",
      [{ counterparty: "Adler" }, { counterparty: "Becker" }],
      { counterparty: "Zimmer" },
    ],
    [
      "of unrelated texts",
      [{ description: "Adler" }, { description: "Becker" }],
      { description: "Zimmer" },
    ],
    [
      "of names that share a common word",
      [{ counterparty: "Adler Bakery" }, { counterparty: "Becker Bakery" }],
      { description: "Bakery" },
    ],
    [
      "of unrelated names in one year",
      [{ counterparty: "Adler 2026" }, { counterparty: "Becker 2026" }],
      { description: "2026" },
    ],
  ] as [string, [Given, Given], Given][])("%s is only suggested", (_, parts, total) => {
    const result = solve(parts, total);
    expect(sumIn(result, "confirmed")).toBe(-1);
    const at = sumIn(result, "suggested");
    expect(at).toBeGreaterThanOrEqual(0);
    expect(explain(result, "suggested", at)).toMatchObject({ rule: "Sums", held: "chance" });
  });

  test("of one name that a different party pays is only suggested, with a note", () => {
    const result = solve([{ counterparty: "Adler GmbH" }, { counterparty: "ADLER" }], {
      counterparty: "Zimmer",
    });
    expect(sumIn(result, "confirmed")).toBe(-1);
    expect(explain(result, "suggested", sumIn(result, "suggested"))).toMatchObject({
      held: "contradiction",
      note: "The counterparty differs: ADLER / Zimmer.",
    });
  });

  test("of one named and one unnamed line is not matched", () => {
    const result = solve(
      [{ counterparty: "Adler", reference: "INV-7001" }, { counterparty: "Becker" }],
      { description: "ADLER INV 7001" },
    );
    expect(result.confirmed.length).toBe(0);
  });

  test.each([
    [
      "one name",
      [{ counterparty: "Adler GmbH" }, { counterparty: "ADLER" }],
      { description: "PAYMENT" },
    ],
    ["a name that is cut", [{ counterparty: "Adler Bakery" }, { counterparty: "ADLER BAKE" }], {}],
    [
      "a batch number",
      [
        { counterparty: "Adler", description: "batch 8841" },
        { counterparty: "Becker", description: "batch 8841" },
      ],
      {},
    ],
    [
      "names that are all in the text",
      [{ counterparty: "Adler" }, { counterparty: "Becker" }],
      { description: "ADLER AND BECKER" },
    ],
    [
      "numbers that are all in the text",
      [
        { counterparty: "Adler", reference: "INV-7001" },
        { counterparty: "Becker", reference: "INV-7002" },
      ],
      { description: "PAYS 7001 7002" },
    ],
    [
      "a counterparty in their texts",
      [{ description: "TRF ADLER" }, { description: "adler 2nd" }],
      { counterparty: "Adler" },
    ],
    [
      "a missing text",
      [{ counterparty: "Adler", reference: "INV-7001" }, {}],
      { description: "ADLER INV 7001" },
    ],
  ] as [string, [Given, Given], Given][])(
    "is matched where its lines have %s",
    (_, parts, total) => {
      expect(sumIn(solve(parts, total), "confirmed")).toBeGreaterThanOrEqual(0);
    },
  );
});
