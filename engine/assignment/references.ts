/**
 * Lines that one side names by a number of the other: an invoice number in a bank's text, a
 * reference with check digits against the bare number. Lines that name each other, have the same
 * amount and no other candidate are matched from the first run on: a pair of lines, or one line and
 * the sum of all lines that it names.
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
/** For lines with one number that are farther apart than the rule allows. */
const FAR_SCORE = 0.6;
/** For one of several payments, any of which may be the one. */
const TWICE_SCORE = 0.95;
const SIDES = ["left", "right"] as const;
/** More lines are not parts of one any more. */
const MOST_PARTS = 50;

export function* references(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): Generator<Progress> {
  const named = yield* NamedLines.read(state, rule.name);
  state.named = named;
  const matching = new Matching(state, rule, ruleIndex, businessDays, named);
  matching.pairs();
  matching.paidTwice();
  matching.sums();
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
  pairs(): void {
    const { left, right } = this.state;
    for (const l of this.state.open("left")) {
      const [found, second] = this.equals("left", l);
      if (!found || second || this.equals("right", found.line).length !== 1) continue;
      const r = found.line;
      if (!left.amount[l] || this.state.isRejected([l], [r])) continue;
      const lag = this.lag(l, r);
      const isNear = lag >= -this.days.before && lag <= this.days.after;
      if (!isNear && (Math.abs(lag) > MAX_DAYS || !this.named.isOnlyName(l, found))) continue;
      this.decide([l], [r], {
        basis: BASIS.unique,
        held: !isNear ? HELD.window : this.isOfOther(l, r) ? HELD.contradiction : HELD.no,
        score: isNear ? SURE_SCORE : FAR_SCORE,
        margin: Infinity,
        note: noteOf(found, left, l, right, r),
      });
    }
  }

  /** Whether the text of one line names another counterparty than that of the other line. */
  private isOfOther(l: number, r: number): boolean {
    return SIDES.some((side) => {
      const [line, otherLine] = side === "left" ? [l, r] : [r, l];
      const found = nameAndText(this.state[side], line, this.state[opposite(side)], otherLine);
      return found !== null && this.state.otherNames(side).containsOther(found.name, found.text);
    });
  }

  /**
   * A line that is paid more than once, and what was paid too much sent back: suggested with the
   * first payment, and each later one with what went back, because any of them may be the one.
   */
  paidTwice(): void {
    for (const side of SIDES) {
      for (const target of this.state.open(side)) {
        const payments = this.paymentsOf(side, target);
        if (!payments) continue;
        const verdict = { basis: BASIS.keyed, held: HELD.margin, score: TWICE_SCORE, margin: 0 };
        const { name, paid, sentBack } = payments;
        const note = `${paid.length} lines pay “${name}”, and ${sentBack.length} went back.`;
        const decide = (own: number[], other: number[]) => {
          const [left, right] = side === "left" ? [own, other] : [other, own];
          if (!this.state.isRejected(left, right)) this.decide(left, right, { ...verdict, note });
        };
        decide([target], [paid[0] as number]);
        for (const [at, line] of sentBack.entries()) decide([], [paid[at + 1] as number, line]);
      }
    }
  }

  /** By day the lines that share a number with a target: its amount, and the opposite once less. */
  private paymentsOf(
    side: Side,
    target: number,
  ): { name: string; paid: number[]; sentBack: number[] } | null {
    const named = this.named.of(side, target);
    const [first] = named;
    if (!first || named.length < 3 || named.length > MOST_PARTS) return null;
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
    const [paid, sentBack] = [withAmount(amount), withAmount(-amount)];
    if (paid.length !== sentBack.length + 1 || paid.length + sentBack.length < named.length)
      return null;
    const isAfter = (line: number, at: number) =>
      (other.value_date[line] as number) >= (other.value_date[paid[at + 1] as number] as number);
    return sentBack.length > 0 && sentBack.every(isAfter)
      ? { name: first.name, paid, sentBack }
      : null;
  }

  /** Matches a line with the sum of all lines that share a number with it. */
  sums(): void {
    for (const side of SIDES) {
      const other = opposite(side);
      for (const target of this.state.open(side)) {
        if (!this.state.isOpen(side, target)) continue;
        const parts = this.partsOf(side, target);
        if (parts.length < 2 || parts.length > MOST_PARTS) continue;
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
   * The open lines that share a number with the target, or those that do beyond doubt. Returns none
   * unless all lie in the window, have no other target and add up to the target's amount.
   */
  private partsOf(side: Side, target: number): Named[] {
    const other = opposite(side);
    const amount = this.state[side].amount[target] as number;
    if (amount === 0) return [];
    const all = this.named.of(side, target).filter(({ line }) => this.areOpen(side, target, line));
    const certain = all.filter(({ isUncertain }) => !isUncertain);
    const parts = [all, certain].find(
      (some) =>
        some.length >= 2 &&
        sum(some.map(({ line }) => this.state[other].amount[line] as number)) === BigInt(amount),
    );
    const isAlone = ({ line, isUncertain }: Named) =>
      this.isNear(side, target, line) &&
      this.named
        .of(other, line)
        .filter((one) => this.areOpen(other, line, one.line) && (isUncertain || !one.isUncertain))
        .length === 1;
    return parts?.every(isAlone) && !this.cancelEachOther(other, parts) ? parts : [];
  }

  /** Without two that cancel each other, the sum would be the same. */
  private cancelEachOther(side: Side, parts: readonly Named[]): boolean {
    const { amount } = this.state[side];
    const amounts = new Set(parts.map(({ line }) => amount[line] as number));
    return parts.some(({ line }) => amounts.has(-(amount[line] as number)));
  }

  /** Lines of the same amount that share a number: those that do beyond doubt, if there are any. */
  private equals(side: Side, line: number): Named[] {
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

/** Says in whose text the number was found, unless it is the reference of both lines. */
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
