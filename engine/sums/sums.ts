/**
 * One line that is the sum of several of the other side: looked for among lines that share its rare
 * words, lines of one day or one name, and the lines nearest to it in time; taken only where the
 * solution is the only one and unlikely to be chance.
 */
import { allocate } from "../assignment/allocate.ts";
import type { Days } from "../candidates/window.ts";
import { isCharge } from "../evidence/charges.ts";
import {
  nameSeveralCounterparties,
  sharedReference,
  statedNamesOf,
} from "../evidence/contradictions.ts";
import { BASIS, HELD } from "../matches.ts";
import { toleranceFor, toleranceOf } from "../prepare/amounts.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import { Changed } from "./changed.ts";
import { isOfOtherParty } from "./other-party.ts";
import { areRelated } from "./relation.ts";
import { combinations, MAX_SUMMANDS, spreadOf, subsetSums } from "./subset-sum.ts";
import { type Family, SumPool, type SumPools } from "./sum-pool.ts";

export const DEFAULT_GROUP_SIZE = 8;
/**
 * Expected chance solutions below which a sum is taken: of lines that name each other, and of
 * others.
 */
const SURE_CHANCE = { named: 0.005, unnamed: 0.002 };
/** Beyond this a solution would mean nothing, and none is looked for. */
const IDLE_CHANCE = 0.3;
/** The prior probability of real sums: among lines that name each other, and among others. */
const PRIOR = { named: 0.3, unnamed: 0.05 };
/** Less probable sums are not even suggested. */
const SUGGEST_SCORE = 0.3;
/** Sums of a family that are expected by chance at most, and that are looked at. */
const MANY_SOLUTIONS = 4;
const MAX_SOLUTIONS = 64;
/** A rival this much likelier to be chance is none. */
const CLEARLY = 20;
const ROUNDS = 3;
const SLICE = 50;
/** Steps of all searches of a side together. */
const BUDGET = 30_000_000;

/** `chance`: how many such sums are expected by chance. */
type Found = { members: number[]; chance: number; unique: boolean };
type Solution = Found & {
  side: Side;
  target: number;
  named: boolean;
  fitsElsewhere: boolean;
};
/** What was looked at of a target before, and the family that is looked at. */
type Tried = { wholes: number; searches: number };

/** @returns the pools of what is open at the end. */
export function* sums(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
  { sumsOf, reach }: { sumsOf: "named" | "all"; reach: Days },
): Generator<Progress, SumPools> {
  const onlyNamed = sumsOf === "named";
  const steps = { left: 0, right: 0 };
  const poolsNow = (): SumPools => ({
    left: new SumPool(state, rule, "left", daysOf(rule, businessDays), reach),
    right: new SumPool(state, rule, "right", daysOf(rule, businessDays), reach),
  });
  let pools = poolsNow();
  let changed: Changed | null = null;
  // What one round confirms leaves the next one fewer lines to choose from.
  for (
    let round = 1, confirmed = -1;
    round <= ROUNDS && confirmed !== state.confirmed.length;
    round++
  ) {
    confirmed = state.confirmed.length;
    const solutions: Solution[] = [];
    for (const side of ["left", "right"] as const) {
      const search = new SumSearch(state, rule, side, pools);
      const targets = state.openForSums(side);
      for (let done = 0; done < targets.length; done++) {
        const target = targets[done] as number;
        if (done % SLICE === 0) yield { stage: rule.name, done, total: targets.length };
        if (changed && !changed.concerns(side, target, pools[side])) continue;
        if (steps[side] + search.steps > BUDGET) break;
        const solution = search.solve(target, onlyNamed);
        if (solution) solutions.push(solution);
      }
      steps[side] += search.steps;
    }
    settle(state, rule, ruleIndex, solutions);
    if (confirmed === state.confirmed.length) continue;
    pools = poolsNow();
    changed = new Changed(state, confirmed, solutions);
  }
  return pools;
}

class SumSearch {
  steps = 0;
  private readonly state: RunState;
  private readonly rule: Rule;
  private readonly side: Side;
  private readonly pool: SumPool;
  /** Searches in the opposite direction. */
  private readonly oppositePool: SumPool;
  private readonly size: number;

  constructor(state: RunState, rule: Rule, side: Side, pools: SumPools) {
    this.state = state;
    this.rule = rule;
    this.side = side;
    this.pool = pools[side];
    this.oppositePool = pools[opposite(side)];
    this.size = rule.max_group_size ?? DEFAULT_GROUP_SIZE;
  }

  /** The sum that is least likely to be a coincidence, or null if none is worth proposing. */
  solve(target: number, onlyNamed: boolean): Solution | null {
    const amount = this.state[this.side].amount[target] as number;
    if (amount === 0 || this.pool.isLost(target)) return null;
    const tried = { named: { wholes: 0, searches: 0 }, unnamed: { wholes: 0, searches: 0 } };
    const searched = new Set<string>();
    const hasEqual = this.pool.hasEqual(target);
    let best = null as Solution | null;
    for (const family of this.pool.families(target, onlyNamed)) {
      const { core, lines, named, whole, tries = 1 } = family;
      // Where the same amount stands on the other side, a sum that nothing names is not what is
      // missing.
      if ((hasEqual || onlyNamed) && !named) break;
      const kind = named ? "named" : "unnamed";
      if (core.length + lines.length < 2) continue;
      if (whole) tried[kind].wholes += tries;
      else if (isNew(searched, [...core, ...lines])) tried[kind].searches += 1;
      const found = whole
        ? this.wholeOf(target, lines, tried[kind])
        : this.subsetOf(target, family, tried[kind]);
      this.steps += lines.length;
      if (!found || found.chance > IDLE_CHANCE || this.hasTarget(found, amount)) continue;
      const fitsElsewhere = family.isGuess ?? false;
      const solution = { side: this.side, target, named, fitsElsewhere, ...found };
      if (best) {
        const isBetter = solution.chance < best.chance;
        const one: Solution = isBetter ? solution : best;
        const other: Solution = isBetter ? best : solution;
        // If several families find the same lines, the one that names most of them decides.
        const isClear = hasSameMembers(one, other)
          ? other.unique
          : other.chance >= one.chance * CLEARLY;
        best = { ...one, unique: one.unique && isClear };
      }
      best ??= solution;
      if (best.unique && best.chance < SURE_CHANCE[kind]) break;
    }
    return (
      best && {
        ...best,
        fitsElsewhere:
          best.fitsElsewhere ||
          this.fitsElsewhere(best) ||
          this.hasMemberWithPartner(best) ||
          this.pool.hasNamedEqual(target),
      }
    );
  }

  /** Whether one line has the whole amount: the others of such a sum cancel each other. */
  private hasTarget({ members }: Found, amount: number): boolean {
    return members.some((line) => this.amountOf(line) === amount);
  }

  /** Whether another line has the amount and the name of one of the sum. */
  private hasMemberWithPartner({ members }: Solution): boolean {
    return members.some((line) => this.oppositePool.hasNamedEqual(line));
  }

  /** Whether the target quotes a line outside its sum, or another line quotes one of the sum. */
  private fitsElsewhere({ target, members }: Solution): boolean {
    const quotes = (words: readonly number[], isOwn: (line: number) => boolean, pool: SumPool) =>
      words.some((word) => {
        const lines = pool.words.linesWith(word);
        return lines.length > 0 && !lines.some(isOwn);
      });
    const numbers = this.pool.words.numbersOf(target);
    const isMember = (line: number) => members.includes(line);
    const called = numbers.filter((word) => this.pool.words.linesCalled(word).length > 0);
    return (
      quotes(called, isMember, this.pool) ||
      members.some((line) =>
        quotes(
          this.oppositePool.words.numbersOf(line, "reference"),
          (other) => other === target,
          this.oppositePool,
        ),
      )
    );
  }

  private slack(amount: number): number {
    return toleranceFor(toleranceOf(this.rule), amount, 0);
  }

  private amountOf(line: number): number {
    return this.pool.other.amount[line] as number;
  }

  /** All lines of a family together. */
  private wholeOf(target: number, lines: number[], tried: Tried): Found | null {
    if (lines.length < 2 || lines.length > Math.max(this.size, WHOLE_SIZE)) return null;
    const amount = this.state[this.side].amount[target] as number;
    const slack = this.slack(amount);
    let total = 0;
    for (const line of lines) total += this.amountOf(line);
    if (!Number.isSafeInteger(total) || Math.abs(total - amount) > slack) return null;
    const sizes = lines.map((line) => Math.abs(this.amountOf(line)));
    const chance =
      ((tried.wholes + tried.searches) * (1 + 2 * slack)) /
      spreadOf(sizes, Math.abs(amount), lines.length);
    return { members: lines, chance, unique: true };
  }

  /**
   * Some lines of a family. Of several sums the one of few lines that come first in the family is
   * least likely to be chance: there are fewer such sums.
   */
  private subsetOf(
    target: number,
    { core, lines, named, max, batch }: Family,
    tried: Tried,
  ): Found | null {
    const amount = this.state[this.side].amount[target] as number;
    const sign = Math.sign(amount);
    let rest = sign * amount;
    for (const line of core) rest -= sign * this.amountOf(line);
    if (core.length > 0 && (!Number.isSafeInteger(rest) || rest <= 0)) return null;
    const limit = batch ? (batch.count ?? lines.length) : (max ?? this.size);
    const maxSize = Math.min(limit, batch ? limit : this.size - core.length, lines.length);
    const min = batch?.count ?? (core.length > 0 ? 1 : 2);
    if (maxSize < min) return null;
    const slack = this.slack(amount);
    let family = lines.slice(0, MAX_SUMMANDS);
    const amounts = family.map((line) => sign * this.amountOf(line));
    const chanceOf = (first: number, size: number) =>
      ((tried.wholes + tried.searches * combinations(first, min, size)) * (1 + 2 * slack)) /
      spreadOf(amounts.slice(0, first).map(Math.abs), rest, size);
    // Where many sums are expected by chance, none of them would mean anything.
    while (family.length > min && chanceOf(family.length, maxSize) > MANY_SOLUTIONS)
      family = family.slice(0, -1);
    const found = subsetSums(
      amounts.slice(0, family.length),
      rest - slack,
      rest + slack,
      min,
      maxSize,
      MAX_SOLUTIONS,
    );
    this.steps += 2 ** (family.length / 2 + 1);
    if (found.length === MAX_SOLUTIONS) return null;
    const [best, second] = found
      .map((positions) => ({
        positions,
        chance: (maxSize - min + 1) * chanceOf((positions.at(-1) as number) + 1, positions.length),
      }))
      .sort((a, b) => a.chance - b.chance || a.positions.length - b.positions.length);
    if (!best) return null;
    return {
      members: [...core, ...best.positions.map((at) => family[at] as number)],
      chance: best.chance,
      unique: !second || (named && second.chance >= best.chance * CLEARLY),
    };
  }
}

/** Families of the same lines in another order are no other chance. */
function isNew(searched: Set<string>, lines: number[]): boolean {
  const { size } = searched;
  return searched.add(Int32Array.from(lines).sort().join()).size > size;
}

function hasSameMembers(a: Found, b: Found): boolean {
  return (
    a.members.length === b.members.length && a.members.every((line) => b.members.includes(line))
  );
}

/** A whole day or a whole name may have more lines than a search for subsets would combine. */
const WHOLE_SIZE = 50;

/**
 * The least likely to be chance first; what overlaps a rival that is about as good stays a
 * suggestion.
 */
function settle(state: RunState, rule: Rule, ruleIndex: number, solutions: Solution[]): void {
  const order = solutions.sort(
    (a, b) =>
      a.chance - b.chance || a.members.length - b.members.length || compareTargets(state, a, b),
  );
  const rivals = new Map<string, Solution[]>();
  for (const solution of order)
    for (const key of linesOf(solution)) rivals.set(key, [...(rivals.get(key) ?? []), solution]);
  for (const solution of order) {
    const { side, target, members, chance, named, unique, fitsElsewhere } = solution;
    const [left, right] = side === "left" ? [[target], members] : [members, [target]];
    if (
      left.some((line) => !state.isOpen("left", line)) ||
      right.some((line) => !state.isOpen("right", line))
    )
      continue;
    if (state.isRejected(left, right)) continue;
    const kind = named ? "named" : "unnamed";
    const contested = linesOf(solution).some((key) =>
      rivals.get(key)?.some((rival) => rival !== solution && rival.chance < chance * CLEARLY),
    );
    const score = (unique ? 1 : 0.5) * (contested ? 0.5 : 1) * (1 / (1 + chance / PRIOR[kind]));
    if (score < SUGGEST_SCORE || isOfOtherParty(state, side, target, members)) continue;
    const isProbable =
      unique && chance < SURE_CHANCE[kind] && areRelated(state, side, target, members);
    const sure =
      isProbable &&
      !contested &&
      !fitsElsewhere &&
      !state.disputed.hasAny(left, right) &&
      !cancelsItself(state, solution) &&
      !addsCharges(state, solution) &&
      !addsUnquotedCredits(state, solution);
    const verdict = {
      basis: BASIS.sum,
      held: !sure ? HELD.chance : rule.then === "match" ? HELD.no : HELD.rule,
      score,
      margin: -Math.log(chance),
      isNamed: named,
    };
    const allocated = allocate(state.left, left, state.right, right, rule);
    if (allocated === null) continue;
    state.decide(ruleIndex, left, right, verdict, allocated);
    if (named && isProbable && isExact(state, solution)) state.exactSums.add(left, right);
  }
}

function isExact(state: RunState, { side, target, members }: Solution): boolean {
  const { amount } = state[opposite(side)];
  const total = members.reduce((all, line) => all + (amount[line] as number), 0);
  return total === state[side].amount[target];
}

/** Lines of which two cancel each other are the sum without these, too. */
function cancelsItself(state: RunState, { side, members }: Solution): boolean {
  const { amount } = state[opposite(side)];
  const amounts = new Set(members.map((line) => amount[line] as number));
  return members.some((line) => amounts.has(-(amount[line] as number)));
}

/**
 * A bank's own charges do not add up to an unrelated payment. A processor's charges are payments:
 * they are of several customers, or the payout quotes their batch.
 */
function addsCharges(state: RunState, { side, target, members }: Solution): boolean {
  const other = state[opposite(side)];
  if (isCharge(state[side], target)) return false;
  if (!members.every((line) => isCharge(other, line))) return false;
  const own = statedNamesOf(state[side], target);
  const texts = members.map((line) => statedNamesOf(other, line));
  return (
    !nameSeveralCounterparties(texts) && !texts.every((text) => sharedReference(own, text) !== null)
  );
}

/** A target that quotes an invoice also quotes the credit notes that it subtracts. */
function addsUnquotedCredits(state: RunState, { side, target, members }: Solution): boolean {
  const own = statedNamesOf(state[side], target);
  const other = state[opposite(side)];
  const sign = Math.sign(state[side].amount[target] as number);
  const isCredit = (line: number) => Math.sign(other.amount[line] as number) === -sign;
  if (!members.some(isCredit)) return false;
  const isQuoted = (line: number) => sharedReference(own, statedNamesOf(other, line)) !== null;
  return members.some(isQuoted) && !members.filter(isCredit).every(isQuoted);
}

function linesOf({ side, target, members }: Solution): string[] {
  const other = opposite(side);
  return [`${side} ${target}`, ...members.map((line) => `${other} ${line}`)];
}

function compareTargets(state: RunState, a: Solution, b: Solution): number {
  if (a.side !== b.side) return a.side === "left" ? -1 : 1;
  return compareLines(state[a.side], a.target, b.target);
}
