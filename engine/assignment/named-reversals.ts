/**
 * Matches lines of one side that cancel each other although their references differ: the same
 * amount with opposite signs, and one line names the other. They are matched only if neither has
 * another candidate and no line of the other side belongs to the named line.
 */

import { daysAround } from "../candidates/window.ts";
import { namesDiffer } from "../evidence/names-differ.ts";
import type { Lines } from "../lines.ts";
import { BASIS, HELD, type Held } from "../matches.ts";
import { hasDigit } from "../prepare/identifiers.ts";
import type { RunState } from "../prepare/run-state.ts";
import { wordsOf } from "../prepare/text.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import {
  hasReversalMark,
  MIN_MARK_LETTERS,
  nameOf,
  numbersOf,
  possiblyUnmarked,
  quotedNumbers,
  unmarked,
  unmarkedReference,
} from "./reversal-names.ts";
import { reversalsOnOtherSide } from "./reversals-across.ts";
import { PartiesOfReversals } from "./reversals-by-party.ts";

type Texts = { reference: string[]; description: string[] };
/** A key under which a line may be found, and whether it certainly identifies the line. */
type Name = { key: string; isSure: boolean };
type Pair = { booked: number; reversal: number; key: string; isSure: boolean };
/** The number of lines of each amount, on the side of the reversals and on the other side. */
type Charges = { own: Map<string, number>; other: Map<string, number> };

const SLICE = 1000;
/** The maximum number of lines of one name and amount: with more, none is identified by them. */
const MAX_SAME_NAME = 20;
const SURE_SCORE = 0.99;
/** Scores of suggestions: if the reversal certainly names the line, and if it may mean it. */
const SCORE = { named: 0.8, meant: 0.5 };
/** Lowers the score if a later line may be the one that is reversed. */
const EARLIER_FACTOR = 0.9;
/** The maximum days after a payment within which a line with only its name may be its return. */
const MAX_RETURN_DAYS = 14;

export function* namedReversals(
  state: RunState,
  side: Side,
  rule: Rule,
  ruleIndex: number,
  dayNumber: (day: number) => number,
): Generator<Progress> {
  const lines = state[side];
  const open = state.open(side);
  const amounts = new Set<number>();
  for (const line of open) amounts.add(lines.amount[line] as number);
  const opposed = open.filter(
    (line) => lines.amount[line] !== 0 && amounts.has(-(lines.amount[line] as number)),
  );
  const index = new Map<string, number[]>();
  for (let done = 0; done < opposed.length; done++) {
    const line = opposed[done] as number;
    if (done % SLICE === 0) yield { stage: rule.name, done, total: 2 * opposed.length };
    const money = moneyOf(lines, line, 1);
    for (const key of keysOf(textsOf(lines, line))) push(index, `${money} ${key}`, line);
  }
  const pairs = new Pairs(state, side, rule, dayNumber);
  const parties = new PartiesOfReversals(lines, open, opposed);
  for (let done = 0; done < opposed.length; done++) {
    const line = opposed[done] as number;
    if (done % SLICE === 0)
      yield { stage: rule.name, done: opposed.length + done, total: 2 * opposed.length };
    const money = moneyOf(lines, line, -1);
    const texts = textsOf(lines, line);
    for (const { key, isSure } of namesOf(texts)) {
      const found = index.get(`${money} ${key}`) ?? [];
      for (const booked of found.slice(0, MAX_SAME_NAME))
        pairs.add({ booked, reversal: line, key, isSure: isSure && found.length <= MAX_SAME_NAME });
    }
    if (pairs.hasReversal(line) || !saysReversal(texts)) continue;
    for (const booked of parties.oppositesOf(line)) {
      const name = pairs.isSoonAfter(booked, line) ? parties.sharedName(booked, line) : "";
      if (name !== "") pairs.add({ booked, reversal: line, key: `party ${name}`, isSure: false });
    }
  }
  pairs.settle(ruleIndex);
}

/** The kind of a key, and the name after it. */
function splitKey(key: string): [kind: string, name: string] {
  const at = key.indexOf(" ");
  return [key.slice(0, at), key.slice(at + 1)];
}

/** The keys of a line: the numbers in its reference, the reference, and its whole text. */
function keysOf({ reference, description }: Texts): string[] {
  const keys = numbersOf(reference).map((number) => `number ${number}`);
  if (reference.length > 0) keys.push(`reference ${nameOf(reference)}`);
  if (description.length > 0) keys.push(`text ${nameOf(description)}`);
  return keys;
}

/** The keys of the lines that a reversal may name. */
function namesOf({ reference, description }: Texts): Name[] {
  const names: Name[] = [];
  for (const name of unmarkedReference(reference)) {
    names.push({ key: `reference ${name}`, isSure: hasDigit(name) });
    for (const number of numbersOf([name])) names.push({ key: `number ${number}`, isSure: true });
  }
  for (const name of possiblyUnmarked(description))
    names.push({ key: `text ${name}`, isSure: false });
  for (const name of unmarked(description, MIN_MARK_LETTERS))
    names.push({ key: `text ${name}`, isSure: quotedNumbers([name]).length > 0 });
  const isSure = saysReversal({ reference, description });
  for (const name of [...quotedNumbers(reference), ...quotedNumbers(description)]) {
    names.push({ key: `reference ${name}`, isSure });
    if (isSure) names.push({ key: `number ${name}`, isSure });
  }
  return names;
}

function saysReversal({ reference, description }: Texts): boolean {
  return hasReversalMark(reference) || hasReversalMark(description);
}

class Pairs {
  private readonly state: RunState;
  private readonly side: Side;
  private readonly rule: Rule;
  private readonly dayNumber: (day: number) => number;
  private readonly pairs = new Map<string, Pair>();
  private readonly partners = new Map<number, number>();
  /** By reversal: the lines that it may reverse. */
  private readonly bookedOf = new Map<number, number[]>();

  constructor(state: RunState, side: Side, rule: Rule, dayNumber: (day: number) => number) {
    this.state = state;
    this.side = side;
    this.rule = rule;
    this.dayNumber = dayNumber;
  }

  add(pair: Pair): void {
    const { booked, reversal } = pair;
    if (!this.isInWindow(booked, reversal) || !this.agrees(booked, reversal)) return;
    if (this.state.isRejected(...this.membersOf(pair))) return;
    const pairKey = `${Math.min(booked, reversal)} ${Math.max(booked, reversal)}`;
    const known = this.pairs.get(pairKey);
    if (!known) {
      for (const line of [booked, reversal])
        this.partners.set(line, (this.partners.get(line) ?? 0) + 1);
      this.bookedOf.set(reversal, [...(this.bookedOf.get(reversal) ?? []), booked]);
    }
    if (!known || (pair.isSure && !known.isSure)) this.pairs.set(pairKey, pair);
  }

  /** Whether a line was added as the reversal of another. */
  hasReversal(line: number): boolean {
    return this.bookedOf.has(line);
  }

  isSoonAfter(booked: number, reversal: number): boolean {
    const { value_date } = this.state[this.side];
    const lag = (value_date[reversal] as number) - (value_date[booked] as number);
    return lag >= 0 && lag <= MAX_RETURN_DAYS;
  }

  settle(ruleIndex: number): void {
    const { state, side, rule } = this;
    const otherNames = this.namesOnOtherSide();
    const onOtherSide = this.linesOnOtherSide();
    const charges = { own: this.countsOf(side), other: this.countsOf(opposite(side)) };
    for (const pair of this.pairs.values()) {
      const { booked, reversal } = pair;
      if (onOtherSide.has(booked) || onOtherSide.has(reversal)) continue;
      const rivals = Math.max(
        this.partners.get(booked) as number,
        this.partners.get(reversal) as number,
      );
      const held = this.heldBack(pair, rivals, otherNames);
      const isSure = held === HELD.no || held === HELD.rule;
      const verdict = {
        basis: BASIS.unique,
        held,
        score: isSure ? SURE_SCORE : this.scoreOf(pair, rivals),
        margin: rivals > 1 ? 0 : Infinity,
        note: this.noteOf(pair),
      };
      const [left, right] = this.membersOf(pair);
      if (state.decide(ruleIndex, left, right, verdict) || rule.then !== "match") continue;
      for (const line of [booked, reversal]) {
        state.pendingReversals[side].add(line);
        if (this.isSecondCharge(pair, rivals, charges)) state.chargedTwice[side].add(line);
      }
    }
  }

  private scoreOf(pair: Pair, rivals: number): number {
    const score = (pair.isSure ? SCORE.named : SCORE.meant) / rivals;
    return this.isNearest(pair) ? score : score * EARLIER_FACTOR;
  }

  /** Whether no other line that the reversal may reverse lies between the two. */
  private isNearest({ booked, reversal }: Pair): boolean {
    const { value_date } = this.state[this.side];
    const day = (line: number) => value_date[line] as number;
    return !this.bookedOf
      .get(reversal)
      ?.some((other) => day(other) > day(booked) && day(other) <= day(reversal));
  }

  /**
   * Whether this side has a charge more often than the other side. Then the last charge is the one
   * that is reversed.
   */
  private isSecondCharge(pair: Pair, rivals: number, charges: Charges): boolean {
    const money = moneyOf(this.state[this.side], pair.booked, 1);
    return (
      rivals > 1 &&
      this.isNearest(pair) &&
      (charges.other.get(money) ?? 0) < (charges.own.get(money) ?? 0)
    );
  }

  private heldBack(
    { booked, reversal, key, isSure }: Pair,
    rivals: number,
    otherNames: ReadonlySet<string>,
  ): Held {
    const { counterparty } = this.state[this.side].hashes;
    const lines = this.state[this.side];
    const isOther =
      counterparty.has(booked) &&
      counterparty.has(reversal) &&
      namesDiffer(
        lines.text(booked, "counterparty") as string,
        lines.text(reversal, "counterparty") as string,
      );
    if (!isSure || isOther) return HELD.score;
    const [, name] = splitKey(key);
    const isExpected = [1, -1].some((sign) =>
      otherNames.has(`${moneyOf(lines, booked, sign)} ${name}`),
    );
    if (rivals > 1 || isExpected) return HELD.margin;
    return this.rule.then === "match" ? HELD.no : HELD.rule;
  }

  /** The number of open lines of a side for each amount of the pairs. */
  private countsOf(side: Side): Map<string, number> {
    const amounts = new Set<number>();
    for (const { booked } of this.pairs.values())
      amounts.add(this.state[this.side].amount[booked] as number);
    const counts = new Map<string, number>();
    if (amounts.size === 0) return counts;
    for (const line of this.state.open(side)) {
      if (!amounts.has(this.state[side].amount[line] as number)) continue;
      const money = moneyOf(this.state[side], line, 1);
      counts.set(money, (counts.get(money) ?? 0) + 1);
    }
    return counts;
  }

  /** Whether a reversal is at most `days_after` after the booking, or `days_before` before it. */
  private isInWindow(booked: number, reversal: number): boolean {
    const { value_date } = this.state[this.side];
    const { before, after } = daysAround(this.rule);
    const lag =
      this.dayNumber(value_date[reversal] as number) - this.dayNumber(value_date[booked] as number);
    return lag >= -before && lag <= after;
  }

  /** Whether two lines agree in the rule's `on` fields other than the reference. */
  private agrees(booked: number, reversal: number): boolean {
    const lines = this.state[this.side];
    return (this.rule.on ?? []).every((field) => {
      if (field === "reference") return true;
      if (field === "value_date" || field === "booked_date")
        return lines[field][booked] === lines[field][reversal];
      return (
        lines.hashes[field].has(booked) &&
        lines.hashes[field].equal(booked, lines.hashes[field], reversal)
      );
    });
  }

  /**
   * The names in open lines of the other side that have the amount of a pair, with either sign: a
   * line with a counterpart there was not reversed.
   */
  private namesOnOtherSide(): Set<string> {
    const other = this.state[opposite(this.side)];
    const amounts = new Set<number>();
    for (const { booked } of this.pairs.values())
      for (const sign of [1, -1])
        amounts.add(sign * (this.state[this.side].amount[booked] as number));
    const names = new Set<string>();
    if (amounts.size === 0) return names;
    for (const line of this.state.open(other.side)) {
      if (!amounts.has(other.amount[line] as number)) continue;
      const { reference, description } = textsOf(other, line);
      const singleWords = [...reference, ...description].map((word) => nameOf([word]));
      for (const name of [
        nameOf(reference),
        nameOf(description),
        ...singleWords,
        ...quotedNumbers(reference),
        ...quotedNumbers(description),
      ])
        names.add(`${moneyOf(other, line, 1)} ${name}`);
    }
    return names;
  }

  /** The lines that the other side also has, of pairs whose two references are equal. */
  private linesOnOtherSide(): Set<number> {
    const lines = this.state[this.side];
    const nameAt = (line: number) => nameOf(lines.words(line, "reference"));
    const sameReference = [...this.pairs.values()].filter(
      ({ booked, reversal }) => nameAt(booked) === nameAt(reversal),
    );
    return reversalsOnOtherSide(
      this.state,
      this.side,
      sameReference.flatMap(({ booked, reversal }) => [booked, reversal]),
    );
  }

  private membersOf({ booked, reversal }: Pair): [number[], number[]] {
    return this.side === "left" ? [[booked, reversal], []] : [[], [booked, reversal]];
  }

  private noteOf({ booked, reversal, key }: Pair): string {
    const lines = this.state[this.side];
    const { reference } = textsOf(lines, reversal);
    const [kind, name] = splitKey(key);
    const byReference =
      kind !== "text" &&
      [...unmarkedReference(reference), ...quotedNumbers(reference)].includes(name);
    const quote = lines.text(reversal, byReference ? "reference" : "description");
    if (kind === "party") return `“${quote}” has the name “${name}”, as the other line has.`;
    return `“${quote}” names “${lines.text(booked, kind === "text" ? "description" : "reference")}”.`;
  }
}

/** The words of both texts. The description, too, is read without the noise words of references. */
function textsOf(lines: Lines, line: number): Texts {
  return {
    reference: lines.words(line, "reference"),
    description: wordsOf(lines.text(line, "description") ?? "", "reference"),
  };
}

function moneyOf(lines: Lines, line: number, sign: number): string {
  return `${lines.currency[line]} ${sign * (lines.amount[line] as number)}`;
}

function push(lists: Map<string, number[]>, key: string, line: number): void {
  const list = lists.get(key);
  if (list) list.push(line);
  else lists.set(key, [line]);
}
