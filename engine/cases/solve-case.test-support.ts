/** Matches a few lines in this process. Tests refer to the lines by their ids. */
import { expect } from "vitest";
import { type Input, match, type Result } from "../engine.ts";
import { explain } from "../explain.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import { Names } from "../names.ts";
import { DEFAULT_RULES } from "../rules.ts";

/** An amount in major units with two decimals, a date as 2026-03-02. */
export type CaseLine = {
  id: string;
  amount: string;
  date: string;
  currency?: string;
  reference?: string;
  counterparty?: string;
  description?: string;
  group_key?: string;
};

export type Solved = {
  result: Result;
  /** The matches as "b1,b2|v1", sorted. */
  confirmed: string[];
  suggested: string[];
  /** The note of a match. */
  noteOf: (match: string) => string | null;
  ruleOf: (match: string) => string;
  /** Whether a left and a right line are in one confirmed match. */
  areConfirmed: (left: string, right: string) => boolean;
};

export function solveCase(
  left: readonly CaseLine[],
  right: readonly CaseLine[],
  more: Partial<Input> = {},
): Solved {
  const result = match({
    left: columns("left", left, more),
    right: columns("right", right, more),
    rules: DEFAULT_RULES,
    ...more,
  });
  expect(checkInvariants(result)).toEqual([]);
  const named = (state: "confirmed" | "suggested") =>
    Array.from({ length: result[state].length }, (_, at) => {
      const ids = (side: "left" | "right", lines: readonly CaseLine[]) =>
        Array.from(result[state][side](at), (line) => (lines[line] as CaseLine).id).sort();
      return `${ids("left", left)}|${ids("right", right)}`;
    });
  const [confirmed, suggested] = [named("confirmed"), named("suggested")];
  const explanationOf = (expected: string) => {
    const state = confirmed.includes(expected) ? "confirmed" : "suggested";
    const at = (state === "confirmed" ? confirmed : suggested).indexOf(expected);
    expect(at, `${expected} among ${[...confirmed, ...suggested].join(" ")}`).toBeGreaterThan(-1);
    return explain(result, state, at);
  };
  return {
    result,
    confirmed: [...confirmed].sort(),
    suggested: [...suggested].sort(),
    noteOf: (expected) => explanationOf(expected).note,
    ruleOf: (expected) => explanationOf(expected).rule,
    areConfirmed: (l, r) =>
      confirmed.some((value) => {
        const [lefts = "", rights = ""] = value.split("|");
        return lefts.split(",").includes(l) && rights.split(",").includes(r);
      }),
  };
}

export function columns(
  side: "left" | "right",
  lines: readonly CaseLine[],
  { weights }: Partial<Input> = {},
): Lines {
  const names = new Names(weights?.names);
  const columns = new Lines(side, lines.length);
  for (const [handle, line] of lines.entries()) {
    const plain = lineOf(line);
    columns.add({
      ...plain,
      handle,
      identity: line.id,
      known_as: side === "right" ? names.of(plain) : null,
    });
  }
  return columns;
}

export function lineOf(line: CaseLine): Omit<Line, "handle" | "identity"> {
  const { id: _, amount, date, currency = "EUR", ...texts } = line;
  return {
    ...texts,
    amount_minor: Math.round(Number(amount) * 100),
    currency,
    value_date: Date.parse(date) / 86_400_000,
  };
}
