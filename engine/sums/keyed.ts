/**
 * Matches groups of lines that share a key: with the lines of the other side that share it, or with
 * the one line that equals their sum.
 */
import { allocate } from "../assignment/allocate.ts";
import { daysAround } from "../candidates/window.ts";
import { BASIS, HELD, type Verdict } from "../matches.ts";
import { reachOf, toleranceFor, toleranceOf } from "../prepare/amounts.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { numberOf } from "../prepare/hash.ts";
import { groupingOf, ruleKey } from "../prepare/key.ts";
import { lowerBound } from "../prepare/lower-bound.ts";
import type { RunState } from "../prepare/run-state.ts";
import { sum } from "../prepare/sum.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";

type Keyed = { left: number[]; right: number[] };

const SLICE = 5000;
/** From this expected number of unrelated lines with the same amount, a sum may be chance. */
const SURE_CHANCE = 0.01;

export function* keyedGroups(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): Generator<Progress> {
  const groups = yield* groupsOf(state, rule);
  const oneSided: { side: Side; lines: number[] }[] = [];
  for (const { left, right } of groups) {
    if (left.length > 0 && right.length > 0)
      settleBoth(state, rule, ruleIndex, left, right, businessDays);
    else if (left.length > 1) oneSided.push({ side: "left", lines: left });
    else if (right.length > 1) oneSided.push({ side: "right", lines: right });
  }
  for (const side of ["left", "right"] as const) {
    yield* sumsToOne(
      state,
      rule,
      ruleIndex,
      side,
      oneSided.filter((group) => group.side === side).map(({ lines }) => lines),
      businessDays,
    );
  }
}

function* groupsOf(state: RunState, rule: Rule): Generator<Progress, Keyed[]> {
  const groups = new Map<number, Keyed>();
  for (const side of ["left", "right"] as const) {
    const open = state.open(side);
    for (let done = 0; done < open.length; done++) {
      const line = open[done] as number;
      if (done % SLICE === 0) yield { stage: rule.name, done, total: open.length };
      const key = ruleKey(state[side], line, groupingOf(rule))?.finish();
      if (!key) continue;
      const number = numberOf(key.high, key.low);
      let group = groups.get(number);
      if (!group) {
        group = { left: [], right: [] };
        groups.set(number, group);
      }
      group[side].push(line);
    }
  }
  return [...groups.values()];
}

function settleBoth(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: number[],
  right: number[],
  businessDays: BusinessDays,
): void {
  const total = sumOf(state, "left", left);
  const other = sumOf(state, "right", right);
  if (total === null || other === null || !isWithinTolerance(rule, total, other)) return;
  const dayNumber = daysOf(rule, businessDays);
  const days = {
    left: spanOf(state, "left", left, dayNumber),
    right: spanOf(state, "right", right, dayNumber),
  };
  if (rule.days_before !== undefined && days.left.last - days.right.first > rule.days_before)
    return;
  if (rule.days_after !== undefined && days.right.last - days.left.first > rule.days_after) return;
  if (state.isRejected(left, right)) return;
  settle(state, rule, ruleIndex, left, right, {
    basis: BASIS.keyed,
    held: HELD.no,
    score: 0.995,
    margin: Infinity,
  });
}

/** Matches groups of one side whose sum equals one line of the other side that lacks their key. */
function* sumsToOne(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  side: Side,
  groups: number[][],
  businessDays: BusinessDays,
): Generator<Progress> {
  if (groups.length === 0) return;
  const other = opposite(side);
  const dayNumber = daysOf(rule, businessDays);
  const singles = new SinglesByAmount(state, other, dayNumber);
  const claims: { group: number[]; candidates: number[]; named: number[]; chance: number }[] = [];
  const claimed = new Map<number, number>();
  for (const [done, group] of groups.entries()) {
    if (done % SLICE === 0) yield { stage: rule.name, done, total: groups.length };
    const total = sumOf(state, side, group);
    if (total === null || total === 0) continue;
    const { candidates, inWindow } = singles.near(
      rule,
      total,
      spanOf(state, side, group, dayNumber),
      side,
    );
    const sameCurrency = candidates.filter(
      (line) => state[other].currency[line] === state[side].currency[group[0] as number],
    );
    const named = sameCurrency.filter((line) =>
      hasWordsOfKey(state, side, group[0] as number, other, line, rule),
    );
    const slack = 1 + 2 * toleranceFor(toleranceOf(rule), total, 0);
    claims.push({
      group,
      candidates: sameCurrency,
      named,
      chance: (inWindow * slack) / Math.abs(total),
    });
    for (const line of named.length > 0 ? named : sameCurrency)
      claimed.set(line, (claimed.get(line) ?? 0) + 1);
  }
  for (const { group, candidates, named, chance } of claims) {
    const choice = named.length > 0 ? named : candidates;
    const best = choice[0];
    if (best === undefined) continue;
    const [left, right] = side === "left" ? [group, [best]] : [[best], group];
    if (!state.isOpen(other, best) || state.isRejected(left, right)) continue;
    const isAlone = choice.length === 1 && claimed.get(best) === 1;
    const isSure = isAlone && (named.length === 1 || chance < SURE_CHANCE);
    const score = isSure
      ? 0.99
      : Math.max(0.3, 0.9 / (choice.length * (claimed.get(best) ?? 1))) / (1 + chance);
    settle(state, rule, ruleIndex, left, right, {
      basis: BASIS.keyed,
      held: isSure ? HELD.no : HELD.chance,
      score,
      margin: isAlone ? Infinity : 0,
    });
  }
}

function settle(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: number[],
  right: number[],
  verdict: Verdict,
): void {
  const allocated = allocate(state.left, left, state.right, right, rule);
  if (allocated === null) return;
  const held = verdict.held === HELD.no && rule.then !== "match" ? HELD.rule : verdict.held;
  state.decide(ruleIndex, left, right, { ...verdict, held }, allocated);
}

function isWithinTolerance(rule: Rule, a: number, b: number): boolean {
  return (
    a === b ||
    (Math.sign(a) === Math.sign(b) && Math.abs(a - b) <= toleranceFor(toleranceOf(rule), a, b))
  );
}

/** Null if the sum is not a safe integer, as amounts are. */
function sumOf(state: RunState, side: Side, lines: number[]): number | null {
  const total = sum(lines.map((line) => state[side].amount[line] as number));
  return total <= BigInt(Number.MAX_SAFE_INTEGER) && total >= BigInt(-Number.MAX_SAFE_INTEGER)
    ? Number(total)
    : null;
}

type Span = { first: number; last: number };

function spanOf(
  state: RunState,
  side: Side,
  lines: number[],
  dayNumber: (day: number) => number,
): Span {
  const days = lines.map((line) => dayNumber(state[side].value_date[line] as number));
  let [first, last] = [Infinity, -Infinity];
  for (const day of days) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return { first, last };
}

/** Whether a line's texts have every word of a group's key. */
function hasWordsOfKey(
  state: RunState,
  side: Side,
  member: number,
  other: Side,
  line: number,
  rule: Rule,
): boolean {
  const words = groupingOf(rule)
    .filter((field) => field !== "value_date" && field !== "booked_date")
    .flatMap((field) => state[side].words(member, field as "reference"));
  if (words.length === 0) return false;
  const texts = new Set(
    (["reference", "counterparty", "description", "group_key"] as const).flatMap((field) =>
      state[other].words(line, field),
    ),
  );
  return words.every((word) => texts.has(word));
}

class SinglesByAmount {
  private readonly lines: Int32Array;
  private readonly amount: Float64Array;
  private readonly day: Int32Array;
  private readonly sortedDays: Int32Array;

  constructor(state: RunState, side: Side, dayNumber: (day: number) => number) {
    const { amount, value_date } = state[side];
    this.lines = state.open(side).slice();
    // The sort is stable, so lines of equal amount and day keep their canonical order.
    this.lines.sort(
      (a, b) =>
        (amount[a] as number) - (amount[b] as number) ||
        (value_date[a] as number) - (value_date[b] as number),
    );
    this.amount = Float64Array.from(this.lines, (line) => amount[line] as number);
    this.day = Int32Array.from(this.lines, (line) => dayNumber(value_date[line] as number));
    this.sortedDays = this.day.slice().sort();
  }

  /**
   * Lines near the sum and the days of a group, nearest amounts first, and the number of all lines
   * in the window.
   */
  near(
    rule: Rule,
    total: number,
    span: Span,
    side: Side,
  ): { candidates: number[]; inWindow: number } {
    const { before, after } = daysAround(rule);
    const unlimited = rule.days_before === undefined && rule.days_after === undefined;
    const earliest = unlimited ? -Infinity : span.first - (side === "left" ? before : after);
    const latest = unlimited ? Infinity : span.last + (side === "left" ? after : before);
    const { low, high } = reachOf(toleranceOf(rule), total);
    const candidates: number[] = [];
    for (
      let at = lowerBound(this.amount, low);
      at < this.amount.length && (this.amount[at] as number) <= high && candidates.length < 50;
      at++
    ) {
      const day = this.day[at] as number;
      if (day >= earliest && day <= latest) candidates.push(at);
    }
    candidates.sort(
      (a, b) =>
        Math.abs((this.amount[a] as number) - total) -
          Math.abs((this.amount[b] as number) - total) || a - b,
    );
    return {
      candidates: candidates.map((at) => this.lines[at] as number),
      inWindow: lowerBound(this.sortedDays, latest + 1) - lowerBound(this.sortedDays, earliest),
    };
  }
}
