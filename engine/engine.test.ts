import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { combinationHash, matchHash } from "./content-hash.ts";
import { type Input, match, type Result } from "./engine.ts";
import { checkInvariants } from "./invariants.ts";
import { type Line, Lines } from "./lines.ts";
import { DEFAULT_RULES, type Rule } from "./rules.ts";

/** A generous timeout for busy machines, because speed is measured elsewhere. */
const TIMEOUT_MS = 120_000;
/** The gate runs fewer cases than the full proof. */
const isGate = process.env.TIEOUT_TESTS === "gate";

type Side = "left" | "right";
type Sides = { left: Line[]; right: Line[] };

/** Each field has few values, so that lines match, repeat and add up in many ways. */
const line = fc.record({
  amount_minor: fc.oneof(
    fc.integer({ min: -12, max: 12 }),
    fc.constantFrom(100, 200, 250, 300, 12_345, -12_345, 20_000),
    fc.integer({ min: 1, max: 90_000 }),
  ),
  currency: fc.constantFrom("EUR", "EUR", "EUR", "JPY"),
  value_date: fc.integer({ min: 20_000, max: 20_015 }),
  booked_date: fc.option(fc.integer({ min: 20_000, max: 20_005 }), { nil: null }),
  reference: fc.option(
    fc.constantFrom("INV-1001", "inv 1001", "INV-1010", "A7", "770123", "770132", "Ü-1"),
    { nil: null },
  ),
  counterparty: fc.option(fc.constantFrom("Müller GmbH", "MULLER", "Adler & Co", "Zoe"), {
    nil: null,
  }),
  description: fc.option(
    fc.constantFrom("Invoice INV-1001", "SEPA credit Muller", "payment", "void", "Adler 770123"),
    { nil: null },
  ),
  group_key: fc.option(fc.constantFrom("po_1", "po_2"), { nil: null, freq: 4 }),
});

/** Both sides. Some lines of the left are copied to the right, with a fee or a lag. */
const twoSides = fc
  .tuple(
    fc.array(line, { maxLength: 14 }),
    fc.array(line, { maxLength: 10 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 0, 0, 1, 25), fc.constantFrom(0, 0, 1, 3)), {
      maxLength: 12,
    }),
  )
  .map(([left, right, copies]): Sides => {
    const copied =
      left.length === 0
        ? []
        : copies.map(([at, fee, days]) =>
            copyLater(left[at % left.length] as Omit<Line, "handle" | "identity">, fee, days),
          );
    return { left: identify("l", left), right: identify("r", [...right, ...copied]) };
  });

const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    kind: fc.constantFrom("exact", "tolerance", "reversal", "group", "score"),
    on: fc.constantFrom(
      undefined,
      ["reference"],
      ["value_date"],
      ["reference", "value_date"],
      ["counterparty"],
      ["group_key"],
    ),
    amount_tolerance_minor: fc.constantFrom(undefined, 1, 30),
    amount_tolerance_bps: fc.constantFrom(undefined, 100, 1500, 9500),
    days_before: fc.constantFrom(0, 2, 5),
    days_after: fc.constantFrom(0, 3, 20),
    day_kind: fc.constantFrom("calendar", "business"),
    max_group_size: fc.constantFrom(undefined, 2, 8),
    residual: fc.constantFrom("none", "keep", undefined),
    then: fc.constantFrom("match", "match", "suggest"),
  })
  .map((rule) => ({ ...rule, name: rule.kind }) as Rule);

const rules = fc.oneof(
  fc.constant(DEFAULT_RULES),
  fc.array(anyRule, { minLength: 1, maxLength: 5 }),
);

function copyLater(
  line: Omit<Line, "handle" | "identity">,
  fee: number,
  days: number,
): Omit<Line, "handle" | "identity"> {
  return { ...line, amount_minor: line.amount_minor - fee, value_date: line.value_date + days };
}

function identify(prefix: string, lines: readonly Omit<Line, "handle" | "identity">[]): Line[] {
  return lines.map((line, at) => ({ ...line, handle: at, identity: `${prefix}${at}` }));
}

function columns(side: Side, lines: readonly Line[]): Lines {
  const columns = new Lines(side, lines.length);
  for (const line of lines) columns.add(line);
  return columns;
}

function solve(sides: Sides, rules: readonly Rule[], more: Partial<Input> = {}): Result {
  return match({
    left: columns("left", sides.left),
    right: columns("right", sides.right),
    rules,
    ...more,
  });
}

function combinations(result: Result): string[] {
  const { left, right } = result.input;
  return [result.confirmed, result.suggested].flatMap((matches) =>
    Array.from({ length: matches.length }, (_, index) =>
      combinationHash(left, matches.left(index), right, matches.right(index)),
    ),
  );
}

/** Shuffles items deterministically by the seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  return items
    .map((item, at) => ({
      item,
      key:
        Math.imul(at + 1, 2654435761) ^
        Math.imul(seed + 7, 40503) ^
        Math.imul((at + 3) * (seed + 1), 2246822519),
    }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

describe("any two sides under any rules", () => {
  test(
    "adds up to the cent, keeps each line in one place, and allocates nothing beyond a line or against its sign",
    () => {
      fc.assert(
        fc.property(twoSides, rules, (sides, rules) => {
          expect(checkInvariants(solve(sides, rules))).toEqual([]);
        }),
        { numRuns: isGate ? 80 : 250 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    "gives one digest and the same reasons in twenty orders of adding",
    () => {
      fc.assert(
        fc.property(twoSides, rules, (sides, rules) => {
          const first = solve(sides, rules);
          for (let seed = 1; seed < 20; seed++) {
            const again = solve(
              { left: shuffled(sides.left, seed), right: shuffled(sides.right, seed + 100) },
              rules,
            );
            expect(again.digest).toBe(first.digest);
            expect(reasonsByIdentity(again)).toEqual(reasonsByIdentity(first));
          }
        }),
        { numRuns: isGate ? 8 : 25 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    "never makes a rejected combination again, neither as a match nor as a suggestion",
    () => {
      fc.assert(
        fc.property(twoSides, rules, fc.nat(), (sides, rules, pick) => {
          const found = combinations(solve(sides, rules));
          const rejected = new Set(found.filter((_, at) => (at + pick) % 2 === 0));
          const again = solve(sides, rules, { rejected });
          expect(combinations(again).filter((combination) => rejected.has(combination))).toEqual(
            [],
          );
          expect(checkInvariants(again)).toEqual([]);
        }),
        { numRuns: isGate ? 25 : 80 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    "decides the other lines in the same way without lines that exact rules settled, if no other line has their amounts",
    () => {
      fc.assert(
        fc.property(twoSides, (sides) => {
          const whole = solve(sides, DEFAULT_RULES);
          const settled = { left: new Set<number>(), right: new Set<number>() };
          for (let index = 0; index < whole.confirmed.length; index++) {
            if ((whole.confirmed.rule[index] as number) > 1) continue;
            for (const side of ["left", "right"] as const)
              for (const at of whole.confirmed[side](index)) settled[side].add(at);
          }
          const shared = new Set(
            [
              ...sides.left.filter((_, at) => !settled.left.has(at)),
              ...sides.right.filter((_, at) => !settled.right.has(at)),
            ].map(moneyOf),
          );
          const remaining = (side: Side) =>
            sides[side].filter((line, at) => !settled[side].has(at) || shared.has(moneyOf(line)));
          const part = solve({ left: remaining("left"), right: remaining("right") }, DEFAULT_RULES);
          const hashes = hashesOf(whole);
          expect(hashesOf(part).filter((hash) => !hashes.includes(hash))).toEqual([]);
          expect(part.waterfall.rules.slice(2)).toEqual(whole.waterfall.rules.slice(2));
          expect(part.waterfall.suggested_count).toBe(whole.waterfall.suggested_count);
          expect(part.waterfall.open_count).toEqual(whole.waterfall.open_count);
        }),
        { numRuns: isGate ? 25 : 80 },
      );
    },
    TIMEOUT_MS,
  );
});

function moneyOf({ amount_minor, currency }: Line): string {
  return `${amount_minor} ${currency}`;
}

function hashesOf(result: Result): string[] {
  const { left, right } = result.input;
  return (["confirmed", "suggested"] as const).flatMap((state) =>
    Array.from({ length: result[state].length }, (_, index) =>
      matchHash(state, result[state], index, left, right),
    ),
  );
}

function reasonsByIdentity({ open, input }: Result): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const side of ["left", "right"] as const) {
    open[side].line.forEach((line, at) => {
      const { identity } = input[side];
      reasons[`${side} ${identity.high[line]} ${identity.low[line]}`] = open[side].reason[
        at
      ] as number;
    });
  }
  return reasons;
}
