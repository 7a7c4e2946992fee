import fc from "fast-check";
import { expect, test } from "vitest";
import { Pool } from "../candidates/pool.ts";
import { type Line, Lines } from "../lines.ts";
import { Nodes } from "../prepare/nodes.ts";
import { RunState } from "../prepare/run-state.ts";
import { FIELD_COUNT, type SideTexts } from "../prepare/texts.ts";
import type { Rule } from "../rules.ts";
import { Evidence } from "./evidence.ts";
import { Model } from "./model.ts";

const RULE: Rule = {
  name: "Evidence",
  kind: "score",
  amount_tolerance_bps: 9500,
  days_before: 30,
  days_after: 30,
  then: "match",
};

/** Texts that are equal, cut off, misspelled, spaced differently or unrelated. */
const text = fc.option(
  fc.constantFrom(
    "RF18 5390",
    "rf185390",
    "770123",
    "770132",
    "7701",
    "Müller",
    "Muller",
    "Mueler Sons",
    "Adler",
    "Ad",
    "Zoe",
    "...",
  ),
  { nil: null },
);
const line = fc.record({
  amount_minor: fc.constantFrom(100, 101, 12_345, 20_000),
  value_date: fc.integer({ min: 20_000, max: 20_005 }),
  reference: text,
  counterparty: text,
  description: text,
  group_key: text,
});

test("two lines that share no word weigh the same whether they are aligned or not", () => {
  let cutOrMisspelled = 0;
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.array(line, { minLength: 1, maxLength: 8 }),
      (lefts, rights) => {
        const state = new RunState(columns("left", lefts), columns("right", rights), new Set());
        const [left, right] = [
          new Nodes(state, "left", RULE, (day) => day),
          new Nodes(state, "right", RULE, (day) => day),
        ];
        const pool = new Pool(state, left, right);
        const evidence = new Evidence(
          pool,
          new Model(pool.texts, null, { before: 30, after: 30 }, pool.leftLines, pool.rightLines),
        );
        for (let l = 0; l < left.count; l++) {
          const own = wordsOf(pool.texts.left, pool.leftRow(l));
          for (let r = 0; r < right.count; r++) {
            if (wordsOf(pool.texts.right, pool.rightRow(r)).some((word) => own.includes(word)))
              continue;
            if (evidence.alignment.haveSimilarText(pool.leftRow(l), pool.rightRow(r)))
              cutOrMisspelled += 1;
            expect(evidence.weighWithoutSharedWord(l, r)).toBe(evidence.weigh(l, r));
          }
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(cutOrMisspelled).toBeGreaterThan(0);
});

function wordsOf(side: SideTexts, row: number): number[] {
  return [
    ...side.words.subarray(side.start[row * FIELD_COUNT], side.start[(row + 1) * FIELD_COUNT]),
  ];
}

function columns(
  side: "left" | "right",
  lines: readonly Omit<Line, "handle" | "identity" | "currency">[],
): Lines {
  const columns = new Lines(side, lines.length);
  for (const [handle, one] of lines.entries())
    columns.add({ ...one, handle, identity: `${side}${handle}`, currency: "EUR" });
  return columns;
}
