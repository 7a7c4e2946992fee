/**
 * The invariants of every result, which are checked after every run: a result that violates one
 * must not be written.
 */

import { combinationHash } from "./content-hash.ts";
import type { Result } from "./engine.ts";
import type { Lines } from "./lines.ts";
import type { Matches } from "./matches.ts";
import { isWithin, toleranceFor, toleranceOf } from "./prepare/amounts.ts";
import { Sum, sum } from "./prepare/sum.ts";
import type { Rule } from "./rules.ts";

/** @returns a sentence for each of the first hundred violations; empty if the result is valid. */
export function checkInvariants(result: Result): string[] {
  const { left, right, rules, rejected } = result.input;
  const hasRejections = rejected !== undefined && rejected.size > 0;
  const violations: string[] = [];
  const report = (violation: string) => violations.length < 100 && violations.push(violation);
  const used = { left: new Uint8Array(left.length), right: new Uint8Array(right.length) };
  for (const [state, matches] of [
    ["confirmed", result.confirmed],
    ["suggested", result.suggested],
  ] as const) {
    for (let index = 0; index < matches.length; index++) {
      const name = `${state} match ${index}`;
      for (const side of ["left", "right"] as const) {
        for (const line of matches[side](index)) {
          if (used[side][line]) report(`${name}: ${side} line ${line} is in another match too.`);
          used[side][line] = 1;
        }
      }
      const violation = checkMatch(
        matches,
        index,
        left,
        right,
        rules[matches.rule[index] as number] as Rule,
      );
      if (violation) report(`${name}: ${violation}`);
      if (
        hasRejections &&
        rejected.has(combinationHash(left, matches.left(index), right, matches.right(index)))
      )
        report(`${name}: a person rejected this combination.`);
    }
  }
  for (const side of ["left", "right"] as const)
    for (const violation of checkSums(result.confirmed, result.input[side])) report(violation);
  return violations;
}

function checkMatch(
  matches: Matches,
  index: number,
  left: Lines,
  right: Lines,
  rule: Rule,
): string | null {
  if (isPlainPair(matches, index, left, right)) return null;
  const lefts = matches.left(index);
  const rights = matches.right(index);
  if (lefts.length + rights.length < 2) return "it has fewer than two lines.";
  const allocated = matches.allocated(index, left, right);
  const open = [
    ...Array.from(lefts, (line) => left.amount[line] as number),
    ...Array.from(rights, (line) => right.amount[line] as number),
  ];
  const currencies = new Set([
    ...Array.from(lefts, (line) => left.currency[line]),
    ...Array.from(rights, (line) => right.currency[line]),
  ]);
  if (currencies.size > 1) return "its lines have several currencies.";
  for (const [at, amount] of allocated.entries()) {
    const available = open[at] as number;
    if (Math.abs(amount) > Math.abs(available)) return "a line is allocated beyond its amount.";
    if (amount !== 0 && amount > 0 !== available > 0)
      return "a line is allocated against its sign.";
  }
  const leftSum = sum(allocated.slice(0, lefts.length));
  const rightSum = sum(allocated.slice(lefts.length));
  const residual = leftSum - rightSum;
  if (residual === 0n) return null;
  if (rule.residual === "none") return `the rule leaves no residual, the match ${residual}.`;
  const tolerance = toleranceOf(rule);
  const [a, b] = [Number(leftSum), Number(rightSum)];
  const isAllowed =
    lefts.length + rights.length === 2
      ? isWithin(tolerance, a, b)
      : Number(residual < 0n ? -residual : residual) <= toleranceFor(tolerance, a, b);
  return isAllowed ? null : `its residual ${residual} is beyond the rule's tolerance.`;
}

/** Whether one line of each side, with the same currency and amount, is matched in full. */
function isPlainPair(matches: Matches, index: number, left: Lines, right: Lines): boolean {
  const from = matches.start[index] as number;
  if (
    matches.start[index + 1] !== from + 2 ||
    matches.lefts[index] !== 1 ||
    matches.partial.has(index)
  )
    return false;
  const l = matches.member[from] as number;
  const r = matches.member[from + 1] as number;
  return left.amount[l] === right.amount[r] && left.currency[l] === right.currency[r];
}

/**
 * Checks for each currency that the total of all lines is the matched plus the open amounts. The
 * part of a line that isn't allocated counts as open.
 */
function checkSums(confirmed: Matches, lines: Lines): string[] {
  const sums = new Map<string, { all: Sum; matched: Sum; open: Sum }>();
  const totalsOf = (currency: string) => {
    let entry = sums.get(currency);
    if (!entry) {
      entry = { all: new Sum(), matched: new Sum(), open: new Sum() };
      sums.set(currency, entry);
    }
    return entry;
  };
  const allocated = new Float64Array(lines.length);
  for (let index = 0; index < confirmed.length; index++) {
    const partial = confirmed.partial.get(index);
    const offset = lines.side === "left" ? 0 : (confirmed.lefts[index] as number);
    confirmed[lines.side](index).forEach((line, at) => {
      const amount = partial ? (partial[offset + at] as number) : (lines.amount[line] as number);
      allocated[line] = amount;
      totalsOf(lines.currencyOf(line)).matched.add(amount);
    });
  }
  for (let line = 0; line < lines.length; line++) {
    const entry = totalsOf(lines.currencyOf(line));
    entry.all.add(lines.amount[line] as number);
    entry.open.add((lines.amount[line] as number) - (allocated[line] as number));
  }
  return [...sums]
    .filter(([, { all, matched, open }]) => all.value() !== matched.value() + open.value())
    .map(([currency]) => `${lines.side} ${currency}: matched and open do not add up to all lines.`);
}
