/**
 * Matches lines by a number that both sides have: an invoice number in a bank's text, or a
 * reference with check digits and the bare number. Lines that share a number, have the same amount
 * and no other candidate are matched from the first run on: a pair of lines, or one line with the
 * sum of all lines that share a number with it.
 */

import { type Days, daysAround } from "../candidates/window.ts";
import { nameAndText } from "../evidence/other-names.ts";
import type { Lines } from "../lines.ts";
import { BASIS, HELD, type Verdict } from "../matches.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import type { Named } from "../prepare/named.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import { sum } from "../prepare/sum.ts";
import type { Progress } from "../progress.ts";
import { MAX_DAYS, type Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import { NamedLines } from "./named-lines.ts";

const SURE_SCORE = 0.999;
/** The score of lines that share a number but are farther apart than the rule allows. */
const FAR_SCORE = 0.6;
/** The score of one of several payments of a line, any of which may be the right one. */
const TWICE_SCORE = 0.95;
const SIDES = ["left", "right"] as const;
/** The maximum number of lines that are parts of one line. */
const MAX_PARTS = 50;

export function* references(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): Generator<Progress> {
  const named = yield* NamedLines.read(state, rule.name);
  state.named = named;
  const matching = new Matching(state, rule, ruleIndex, businessDays, named);
  matching.matchPairs();
  matching.suggestPaidTwice();
  matching.matchSums();
}

class Matching {
  private readonly state: RunState;
  private readonly rule: Rule;
  private readonly ruleIndex: number;
  private readonly named: NamedLines;
  private readonly days: Days;
  private readonly dayNumber: (day: number) => number;

  constructor(
    state: RunState,
    rule: Rule,
    ruleIndex: number,
    businessDays: BusinessDays,
    named: NamedLines,
  ) {
    this.state = state;
    this.rule = rule;
    this.ruleIndex = ruleIndex;
    this.named = named;
    this.days = daysAround(rule);
    this.dayNumber = daysOf(rule, businessDays);
  }

  /** Matches two lines of equal amount that share a number with no other line of that amount. */
  matchPairs(): void {
    const { left, right } = this.state;
    for (const l of this.state.open("left")) {
      const [found, second] = this.sameAmountLines("left", l);
      if (!found || second || this.sameAmountLines("right", found.line).length !== 1) continue;
      const r = found.line;
      if (!left.amount[l] || this.state.isRejected([l], [r])) continue;
      const lag = this.lag(l, r);
      const isNear = lag >= -this.days.before && lag <= this.days.after;
      if (!isNear && (Math.abs(lag) > MAX_DAYS || !this.named.isOnlyName(l, found))) continue;
      this.decide([l], [r], {
        basis: BASIS.unique,
        held: !isNear ? HELD.window : this.namesOtherParty(l, r) ? HELD.contradiction : HELD.no,
        score: isNear ? SURE_SCORE : FAR_SCORE,
        margin: Infinity,
        note: noteOf(found, left, l, right, r),
      });
    }
  }

  /** Whether the text of one line names a different counterparty from the other line's. */
  private namesOtherParty(l: number, r: number): boolean {
    return SIDES.some((side) => {
      const [line, otherLine] = side === "left" ? [l, r] : [r, l];
      const found = nameAndText(this.state[side], line, this.state[opposite(side)], otherLine);
      return found !== null && this.state.otherNames(side).containsOther(found.name, found.text);
    });
  }

  /**
   * Suggests matches for a line that was paid more than once and whose surplus payments were sent
   * back: the line with its first payment, and each later payment with a return. Any of the
   * payments may be the right one.
   */
  suggestPaidTwice(): void {
    for (const side of SIDES) {
      for (const target of this.state.open(side)) {
        const payments = this.paymentsOf(side, target);
        if (!payments) continue;
        const verdict = { basis: BASIS.keyed, held: HELD.margin, score: TWICE_SCORE, margin: 0 };
        const { name, paid, returns } = payments;
        const note = `${paid.length} lines pay “${name}”, and ${returns.length} went back.`;
        const decide = (own: number[], other: number[]) => {
          const [left, right] = side === "left" ? [own, other] : [other, own];
          if (!this.state.isRejected(left, right)) this.decide(left, right, { ...verdict, note });
        };
        decide([target], [paid[0] as number]);
        for (const [at, line] of returns.entries()) decide([], [paid[at + 1] as number, line]);
      }
    }
  }

  /**
   * The lines that share a number with a target, by day: payments of its amount, and returns of the
   * opposite amount, one fewer than the payments. Null if there are other lines.
   */
  private paymentsOf(
    side: Side,
    target: number,
  ): { name: string; paid: number[]; returns: number[] } | null {
    const named = this.named.of(side, target);
    const [first] = named;
    if (!first || named.length < 3 || named.length > MAX_PARTS) return null;
    const amount = this.state[side].amount[target] as number;
    const other = this.state[opposite(side)];
    const isOpen = ({ line }: Named) =>
      this.areOpen(side, target, line) && this.isNear(side, target, line);
    if (amount === 0 || !named.every(isOpen)) return null;
    const withAmount = (wanted: number) =>
      named
        .map(({ line }) => line)
        .filter((line) => other.amount[line] === wanted)
        .sort((a, b) => compareLines(other, a, b));
    const [paid, returns] = [withAmount(amount), withAmount(-amount)];
    if (paid.length !== returns.length + 1 || paid.length + returns.length < named.length)
      return null;
    const followsPayment = (line: number, at: number) =>
      (other.value_date[line] as number) >= (other.value_date[paid[at + 1] as number] as number);
    return returns.length > 0 && returns.every(followsPayment)
      ? { name: first.name, paid, returns }
      : null;
  }

  /** Matches a line with the sum of all lines that share a number with it. */
  matchSums(): void {
    for (const side of SIDES) {
      const other = opposite(side);
      for (const target of this.state.open(side)) {
        if (!this.state.isOpen(side, target)) continue;
        const parts = this.partsOf(side, target);
        if (parts.length < 2 || parts.length > MAX_PARTS) continue;
        const lines = parts.map(({ line }) => line);
        const [lefts, rights] = side === "left" ? [[target], lines] : [lines, [target]];
        if (this.state.isRejected(lefts, rights)) continue;
        const [first] = parts as [Named];
        const from = first.isInOtherText ? `${other} lines` : `${side} line`;
        this.decide(lefts, rights, {
          basis: BASIS.keyed,
          held: HELD.no,
          score: SURE_SCORE,
          margin: Infinity,
          note: `“${first.name}” was found in the text of the ${from}.`,
        });
      }
    }
  }

  /**
   * The open lines that share a number with the target; if these don't add up to its amount, only
   * the lines that certainly share one. Empty unless the lines add up, are in the window and have
   * no other target.
   */
  private partsOf(side: Side, target: number): Named[] {
    const other = opposite(side);
    const amount = this.state[side].amount[target] as number;
    if (amount === 0) return [];
    const all = this.named.of(side, target).filter(({ line }) => this.areOpen(side, target, line));
    const certain = all.filter(({ isUncertain }) => !isUncertain);
    const parts = [all, certain].find(
      (lines) =>
        lines.length >= 2 &&
        sum(lines.map(({ line }) => this.state[other].amount[line] as number)) === BigInt(amount),
    );
    const isAlone = ({ line, isUncertain }: Named) =>
      this.isNear(side, target, line) &&
      this.named
        .of(other, line)
        .filter((one) => this.areOpen(other, line, one.line) && (isUncertain || !one.isUncertain))
        .length === 1;
    return parts?.every(isAlone) && !this.haveCancelingPair(other, parts) ? parts : [];
  }

  /** Whether two parts cancel each other: the sum would be the same without them. */
  private haveCancelingPair(side: Side, parts: readonly Named[]): boolean {
    const { amount } = this.state[side];
    const amounts = new Set(parts.map(({ line }) => amount[line] as number));
    return parts.some(({ line }) => amounts.has(-(amount[line] as number)));
  }

  /** Lines of the same amount that share a number: only those that certainly do, if any do. */
  private sameAmountLines(side: Side, line: number): Named[] {
    const other = opposite(side);
    const amount = this.state[side].amount[line];
    const equal = this.named
      .of(side, line)
      .filter(
        (one) =>
          this.state[other].amount[one.line] === amount && this.areOpen(side, line, one.line),
      );
    const certain = equal.filter(({ isUncertain }) => !isUncertain);
    return certain.length > 0 ? certain : equal;
  }

  private areOpen(side: Side, line: number, otherLine: number): boolean {
    const other = opposite(side);
    return (
      this.state.isOpen(side, line) &&
      this.state.isOpen(other, otherLine) &&
      this.state[side].currency[line] === this.state[other].currency[otherLine]
    );
  }

  private isNear(side: Side, line: number, otherLine: number): boolean {
    const lag = side === "left" ? this.lag(line, otherLine) : this.lag(otherLine, line);
    return lag >= -this.days.before && lag <= this.days.after;
  }

  private lag(l: number, r: number): number {
    const { left, right } = this.state;
    return (
      this.dayNumber(right.value_date[r] as number) - this.dayNumber(left.value_date[l] as number)
    );
  }

  private decide(left: number[], right: number[], verdict: Verdict): void {
    const held = verdict.held === HELD.no && this.rule.then !== "match" ? HELD.rule : verdict.held;
    this.state.decide(this.ruleIndex, left, right, { ...verdict, held });
  }
}

/** States in which line's text the number was found, unless both lines have a reference. */
function noteOf(
  { name, isInOtherText }: Named,
  left: Lines,
  l: number,
  right: Lines,
  r: number,
): string {
  const references = [left.text(l, "reference"), right.text(r, "reference")];
  if (references[0] !== null && references[1] !== null)
    return `“${references[0]}” and “${references[1]}” are one number.`;
  return `“${name}” was found in the text of the ${isInOtherText ? "right" : "left"} line.`;
}
