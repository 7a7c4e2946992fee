/**
 * Matches pairs by the weight of evidence: the candidates of each line are weighed, each connected
 * group is solved as an assignment, and a pair is matched only if it is probable enough and clearly
 * better than the runner-up.
 */

import { Pool } from "../candidates/pool.ts";
import { Alignment, WORD } from "../evidence/alignment.ts";
import { isBookingWord } from "../evidence/booking-words.ts";
import { isCharge, statesAmount } from "../evidence/charges.ts";
import {
  containsWholeName,
  lacksReference,
  sharedReference,
  statedNamesOf,
} from "../evidence/contradictions.ts";
import { nameDifferentNumbers } from "../evidence/different-numbers.ts";
import { allNodes, estimate } from "../evidence/estimate.ts";
import type { RuleEstimate } from "../evidence/estimates.ts";
import type { Knowledge } from "../evidence/knowledge.ts";
import type { Model } from "../evidence/model.ts";
import type { Lesson } from "../evidence/observations.ts";
import { nameAndText } from "../evidence/other-names.ts";
import { estimateWithoutPairs, Weighing } from "../evidence/weighing.ts";
import { BASIS, HELD, type Held, type RunnerUp } from "../matches.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import { FIELD_COUNT } from "../prepare/texts.ts";
import { toList } from "../prepare/to-list.ts";
import type { Progress } from "../progress.ts";
import type { DayKind, Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import { automaticThreshold, type Weights } from "../weights.ts";
import { allocate } from "./allocate.ts";
import { proposeConvertedAmounts } from "./converted-amounts.ts";
import { decidingRule } from "./deciding-rule.ts";
import { proposeEqualSeries } from "./equal-series.ts";
import type { Graph } from "./graph.ts";
import { proposeLoneAmounts } from "./lone-amounts.ts";
import { proposeNamedParts } from "./named-parts.ts";
import { type SolvedPair, solveGroups } from "./solve-groups.ts";
import { pairEquals } from "./twins.ts";

/**
 * A pair is matched automatically from this probability on, if it leads the next best solution by
 * at least this margin, in nats.
 */
export const SURE_SCORE = 0.99;
export const SURE_MARGIN = 3;
/** Less probable pairs are not even suggested. */
const SUGGEST_SCORE = 0.2;
const SLICE = 200;
/** If both sides together have no more lines than this, rarity cannot be estimated. */
const FEW_LINES = 50;

export type Weighed = { pool: Pool; model: Model };

/** `weighed`: null if one side has no lines. */
export type ByEvidence = { weighed: Weighed | null; estimate: RuleEstimate };

/**
 * What the last score rule has learned, by the kind of days that it counts. What equal amounts
 * teach about texts and lags also applies to amounts with a fee.
 */
export type Lessons = Map<DayKind, Lesson>;

export type EvidenceOptions = {
  businessDays: BusinessDays;
  weights: Weights | null;
  suggestOnly: boolean;
  /** What earlier score rules have learned. This rule adds its own lesson. */
  lessons: Lessons;
  /**
   * The rule under which equal amounts are matched, whichever rule finds them; null if no score
   * rule is limited to equal amounts.
   */
  equalAmountRule: { rule: Rule; index: number } | null;
  /** What an earlier run estimated for this rule; otherwise it is estimated from the lines. */
  known?: RuleEstimate;
};

export function* matchByEvidence(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  options: EvidenceOptions,
): Generator<Progress, ByEvidence> {
  const { day_kind: dayKind = "calendar" } = rule;
  const dayNumber = daysOf(rule, options.businessDays);
  const nodesOf = (side: Side) => {
    const { size } = state.chargedTwice[side];
    const keep = (_: number, line: number) => !state.chargedTwice[side].has(line);
    return new Nodes(state, side, rule, dayNumber, size > 0 ? keep : undefined);
  };
  let [left, right] = [nodesOf("left"), nodesOf("right")];
  if (pairEquals(state, rule, ruleIndex, left, right))
    [left, right] = [nodesOf("left"), nodesOf("right")];
  const knowledge = knowledgeFor(rule, options.weights);
  const lesson = options.lessons.get(dayKind) ?? null;
  if (left.count === 0 || right.count === 0) {
    const estimated = () =>
      estimateWithoutPairs(state.texts(), { left, right }, rule, knowledge, lesson);
    return { weighed: null, estimate: options.known ?? estimated() };
  }
  const pool = new Pool(state, left, right, options.known?.day_rarity);
  const weighing = new Weighing(pool, rule, knowledge, lesson);
  if (options.known) weighing.restore(options.known);
  else options.lessons.set(dayKind, yield* estimate(weighing));
  const { model } = weighing;
  const pairs = yield* weighing.find(allNodes(pool.seekers));
  const solved = yield* solve(weighing.graph(pairs), rule);
  const judge = new Judge(state, rule, options, { pool, model });
  const solution = inNodeOrder(solved);
  const remainder = new Remainder(solution, left, right);
  for (const pair of solution) {
    const isContested = remainder.hasOpenLines(pair);
    for (let unit = 0; unit < pair.units; unit++) {
      judge.settle(
        ruleIndex,
        left.take(pair.left),
        right.take(pair.right),
        { ...pair, isContested },
        runnerUpOf(pair, pool),
      );
    }
  }
  proposeLoneAmounts(state, rule, ruleIndex, pool, options.equalAmountRule);
  proposeEqualSeries(state, rule, ruleIndex, pool, options.equalAmountRule);
  proposeConvertedAmounts(state, rule, ruleIndex, pool, model);
  proposeNamedParts(state, rule, ruleIndex, options.businessDays);
  return { weighed: { pool, model }, estimate: options.known ?? weighing.toEstimate() };
}

/** What was learned, with lags in the days that the rule counts in. */
function knowledgeFor(rule: Rule, weights: Weights | null): Knowledge | null {
  if (!weights) return null;
  const { day, business_day = [], ...knowledge } = weights.knowledge;
  return { ...knowledge, day: rule.day_kind === "business" ? business_day : day };
}

function* solve(graph: Graph, rule: Rule): Generator<Progress, SolvedPair[]> {
  const solved: SolvedPair[] = [];
  let groups = 0;
  for (const pairs of solveGroups(graph)) {
    if (groups++ % SLICE === 0)
      yield { stage: rule.name, done: solved.length, total: graph.leftCapacity.length };
    for (const pair of pairs) solved.push(pair);
  }
  return solved;
}

/** Sorts pairs by node, because nodes return their lines in canonical order. */
function inNodeOrder(solved: readonly SolvedPair[]): SolvedPair[] {
  return [...solved].sort((one, other) => one.left - other.left || one.right - other.right);
}

/**
 * Counts the lines of each node that the assignment leaves open. If there are any, which lines of
 * the node are matched is arbitrary.
 */
class Remainder {
  private readonly left: Int32Array;
  private readonly right: Int32Array;

  constructor(pairs: readonly SolvedPair[], left: Nodes, right: Nodes) {
    this.left = left.capacities().slice();
    this.right = right.capacities().slice();
    for (const pair of pairs) {
      this.left[pair.left] = (this.left[pair.left] as number) - pair.units;
      this.right[pair.right] = (this.right[pair.right] as number) - pair.units;
    }
  }

  hasOpenLines({ left, right }: SolvedPair): boolean {
    return (this.left[left] as number) > 0 || (this.right[right] as number) > 0;
  }
}

/** Decides what happens to a pair that the assignment proposes. */
class Judge {
  private readonly state: RunState;
  private readonly rule: Rule;
  private readonly options: EvidenceOptions;
  private readonly automaticThreshold: number;
  private readonly pool: Pool;
  private readonly model: Model;
  private readonly alignment: Alignment;

  constructor(state: RunState, rule: Rule, options: EvidenceOptions, { pool, model }: Weighed) {
    this.pool = pool;
    this.model = model;
    this.alignment = new Alignment(pool.texts);
    this.automaticThreshold = automaticThreshold(options.weights, SURE_SCORE);
    this.state = state;
    this.rule = rule;
    this.options = options;
  }

  settle(
    ruleIndex: number,
    l: number,
    r: number,
    pair: SolvedPair & { isContested: boolean },
    runnerUp: RunnerUp | undefined,
  ): void {
    const { state, rule } = this;
    if (this.isGroundless(l, r)) return;
    const ruleOf = decidingRule(state, this.options.equalAmountRule, ruleIndex, l, r);
    if (pair.score < SUGGEST_SCORE || state.isRejected([l], [r])) return;
    const allocated = allocate(state.left, [l], state.right, [r], rule);
    if (allocated === null) return;
    const verdict = {
      basis: BASIS.evidence,
      held: this.heldBack(pair, l, r),
      score: pair.score,
      margin: pair.margin,
      runnerUp,
      isExplained: this.isUsual(l, r) || this.isStated(l, r),
    };
    state.decide(ruleOf, [l], [r], verdict, allocated);
  }

  /**
   * Whether one line names another counterparty or quotes the reference of another open line, or
   * nothing explains why the amounts differ.
   */
  private isDoubtful(l: number, r: number): boolean {
    const { left, right } = this.state;
    if (this.namesOtherParty("left", l, r) || this.namesOtherParty("right", r, l)) return true;
    if (this.quotesAnother("left", l, r) || this.quotesAnother("right", r, l)) return true;
    return left.amount[l] !== right.amount[r] && !this.explainsDifference(l, r);
  }

  /**
   * Whether a difference is explained: both lines have one reference, or this pair of sources shows
   * the difference again and again. A usual share of the amount that exceeds the rule's tolerance
   * in basis points also needs the whole name, because a few unrelated amounts always differ by
   * that share.
   */
  private explainsDifference(l: number, r: number): boolean {
    const { state, model, rule } = this;
    if (state.exactSums.hasAny([l], [r])) {
      state.disputed.add([l], [r]);
      return false;
    }
    const [a, b] = [state.left.amount[l] as number, state.right.amount[r] as number];
    const texts = state.texts();
    if (nameDifferentNumbers(texts, texts.left.rowOf[l] as number, texts.right.rowOf[r] as number))
      return false;
    const [leftNames, rightNames] = [statedNamesOf(state.left, l), statedNamesOf(state.right, r)];
    if (model.usualDifference(a - b)) return true;
    if (sharedReference(leftNames, rightNames) !== null) return true;
    const isUsualRate = model.usualRate(a, b) !== null;
    const isLarge = Math.abs(a - b) > ((rule.amount_tolerance_bps ?? 0) / 10_000) * Math.abs(a);
    if (isLarge) return isUsualRate && containsWholeName(leftNames, rightNames);
    return isUsualRate || !lacksReference(leftNames, rightNames);
  }

  /** Whether other matches of these sources differ by as much, or by the same share. */
  private isUsual(l: number, r: number): boolean {
    const { state, model } = this;
    const [a, b] = [state.left.amount[l] as number, state.right.amount[r] as number];
    return model.usualDifference(a - b) !== null || model.usualRate(a, b) !== null;
  }

  /** Whether a text states the difference, as a bank prints what it deducts. */
  private isStated(l: number, r: number): boolean {
    const { left, right } = this.state;
    const difference = (left.amount[l] as number) - (right.amount[r] as number);
    if (difference === 0) return false;
    return statesAmount(left, l, difference) || statesAmount(right, r, difference);
  }

  /** Whether a text of the other side quotes the reference of another open line of this side. */
  private quotesAnother(side: Side, line: number, otherLine: number): boolean {
    const { state } = this;
    const texts = state.texts();
    const other = opposite(side);
    return state
      .quotedReferences(side)
      .otherQuotedLines(line, state[other], texts[other], otherLine)
      .some((one) => state.isOpen(side, one));
  }

  /**
   * Whether the other line has no counterparty, but a text that names a different one from this
   * line's.
   */
  private namesOtherParty(side: Side, line: number, otherLine: number): boolean {
    const { state } = this;
    const found = nameAndText(state[side], line, state[opposite(side)], otherLine);
    const [l, r] = side === "left" ? [line, otherLine] : [otherLine, line];
    if (found === null || state.contradictions.shareStrongReference(l, r)) return false;
    return state.otherNames(side).continuesAsOther(found.name, found.text);
  }

  /**
   * Whether nothing shows that two different amounts belong together: the only words that their
   * texts share name a kind of booking, and no other match of these sources differs by as much.
   */
  private isGroundless(l: number, r: number): boolean {
    const { state } = this;
    const [a, b] = [state.left.amount[l] as number, state.right.amount[r] as number];
    if (a === b) return false;
    const shared = this.sharedWords(l, r);
    if (shared.length === 0 || !shared.every(isBookingWord)) return false;
    if (this.isUsual(l, r)) return false;
    return !containsWholeName(statedNamesOf(state.left, l), statedNamesOf(state.right, r));
  }

  /**
   * Whether a pair is a guess because its texts share no word. A handful of lines doesn't show how
   * rare an amount is, and a bank's charge is not a customer's payment.
   */
  private isGuess(l: number, r: number): boolean {
    const { texts, leftLines, rightLines } = this.pool;
    if (this.sharedWords(l, r).length > 0) return false;
    const hasNoText = (side: Side, line: number) => {
      const { rowOf, start } = texts[side];
      const cell = (rowOf[line] as number) * FIELD_COUNT;
      return start[cell] === start[cell + FIELD_COUNT];
    };
    if (hasNoText("left", l) || hasNoText("right", r)) return false;
    if (leftLines + rightLines <= FEW_LINES) return true;
    return isCharge(this.state.left, l) !== isCharge(this.state.right, r);
  }

  /** The words that correspond in two lines, as each side spells them. */
  private sharedWords(l: number, r: number): string[] {
    const { texts } = this.pool;
    const { alignment } = this;
    alignment.align(texts.left.rowOf[l] as number, texts.right.rowOf[r] as number);
    const shared = (words: Int32Array, states: Uint8Array, count: number) =>
      toList(words, 0, count).flatMap((word, at) =>
        states[at] === WORD.alone || states[at] === WORD.unseen
          ? []
          : (texts.spelling[word] as string),
      );
    const { leftWords, rightWords, leftState, rightState, leftStart, rightStart } = alignment;
    return [
      ...shared(leftWords, leftState, leftStart[FIELD_COUNT] as number),
      ...shared(rightWords, rightState, rightStart[FIELD_COUNT] as number),
    ];
  }

  private heldBack(
    { score, margin, hasExceededBudget, isContested }: SolvedPair & { isContested: boolean },
    l: number,
    r: number,
  ): Held {
    if (hasExceededBudget) return HELD.budget;
    if (score < this.automaticThreshold) return HELD.score;
    if (margin < SURE_MARGIN || isContested) return HELD.margin;
    if (this.rule.then === "suggest") return HELD.rule;
    if (this.options.suggestOnly) return HELD.track_record;
    return this.isDoubtful(l, r) || this.isGuess(l, r) ? HELD.score : HELD.no;
  }
}

function runnerUpOf(
  { otherLeft, otherRight }: SolvedPair,
  { left, right }: Pool,
): RunnerUp | undefined {
  if (otherRight >= 0) return { side: "right", line: right.line(otherRight) };
  if (otherLeft >= 0) return { side: "left", line: left.line(otherLeft) };
  return undefined;
}
