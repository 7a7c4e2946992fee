/**
 * Finds lines that are the sum of several lines of the other side. It searches lines that share
 * rare words with the target, lines of one day or one name, and the lines nearest to it in time. A
 * sum is matched only if it is the only solution and unlikely to be chance.
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
import { RoundChanges } from "./changed.ts";
import { belongsToOtherParty } from "./other-party.ts";
import { areRelated } from "./relation.ts";
import { combinations, MAX_SUMMANDS, spreadOf, subsetSums } from "./subset-sum.ts";
import { type Family, SumPool, type SumPools } from "./sum-pool.ts";

export const DEFAULT_GROUP_SIZE = 8;
/**
 * The expected number of chance solutions below which a sum is matched: of lines that name each
 * other, and of others.
 */
const SURE_CHANCE = { named: 0.005, unnamed: 0.002 };
/** With more chance solutions expected, a solution means nothing and is ignored. */
const MAX_CHANCE = 0.3;
/** The prior probability of real sums: among lines that name each other, and among others. */
const PRIOR = { named: 0.3, unnamed: 0.05 };
/** Less probable sums are not even suggested. */
const SUGGEST_SCORE = 0.3;
/** The maximum number of sums of a family that are expected by chance, and that are examined. */
const MAX_EXPECTED_SOLUTIONS = 4;
const MAX_SOLUTIONS = 64;
/** A solution that is likelier to be chance by this factor is no rival. */
const RIVAL_FACTOR = 20;
const MAX_ROUNDS = 3;
const SLICE = 50;
/** The maximum steps of all searches of a side together. */
const BUDGET = 30_000_000;

/** `chance`: the expected number of such sums by chance. */
type Found = { members: number[]; chance: number; unique: boolean };
type Solution = Found & {
  side: Side;
  target: number;
  named: boolean;
  fitsElsewhere: boolean;
};
/** The whole families and the subset searches tried for a target so far, with the current one. */
type Tried = { wholes: number; searches: number };

/** @returns the pools of the lines that are open at the end. */
export function* sums(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
  { sumsOf, reach }: { sumsOf: "named" | "all"; reach: Days },
): Generator<Progress, SumPools> {
  const onlyNamed = sumsOf === "named";
  const steps = { left: 0, right: 0 };
  const createPools = (): SumPools => ({
    left: new SumPool(state, rule, "left", daysOf(rule, businessDays), reach),
    right: new SumPool(state, rule, "right", daysOf(rule, businessDays), reach),
  });
  let pools = createPools();
  let changed: RoundChanges | null = null;
  // Each round leaves the next one fewer lines to choose from.
  for (
    let round = 1, confirmed = -1;
    round <= MAX_ROUNDS && confirmed !== state.confirmed.length;
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
        if (changed && !changed.affects(side, target, pools[side])) continue;
        if (steps[side] + search.steps > BUDGET) break;
        const solution = search.solve(target, onlyNamed);
        if (solution) solutions.push(solution);
      }
      steps[side] += search.steps;
    }
    settle(state, rule, ruleIndex, solutions);
    if (confirmed === state.confirmed.length) continue;
    pools = createPools();
    changed = new RoundChanges(state, confirmed, solutions);
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
    if (amount === 0 || this.pool.hasNoSearchSpace(target)) return null;
    const tried = { named: { wholes: 0, searches: 0 }, unnamed: { wholes: 0, searches: 0 } };
    const searched = new Set<string>();
    const hasEqual = this.pool.hasEqual(target);
    let best = null as Solution | null;
    for (const family of this.pool.families(target, onlyNamed)) {
      const { core, lines, named, whole, tries = 1 } = family;
      // If the other side has the same amount, a sum that nothing names is not the counterpart.
      if ((hasEqual || onlyNamed) && !named) break;
      const kind = named ? "named" : "unnamed";
      if (core.length + lines.length < 2) continue;
      if (whole) tried[kind].wholes += tries;
      else if (isNew(searched, [...core, ...lines])) tried[kind].searches += 1;
      const found = whole
        ? this.wholeOf(target, lines, tried[kind])
        : this.subsetOf(target, family, tried[kind]);
      this.steps += lines.length;
      if (!found || found.chance > MAX_CHANCE || this.hasWholeAmount(found, amount)) continue;
      const fitsElsewhere = family.isGuess ?? false;
      const solution = { side: this.side, target, named, fitsElsewhere, ...found };
      if (best) {
        const isBetter = solution.chance < best.chance;
        const better: Solution = isBetter ? solution : best;
        const worse: Solution = isBetter ? best : solution;
        // If two families find the same lines, the solution must be unique in both.
        const isClear = hasSameMembers(better, worse)
          ? worse.unique
          : worse.chance >= better.chance * RIVAL_FACTOR;
        best = { ...better, unique: better.unique && isClear };
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
  private hasWholeAmount({ members }: Found, amount: number): boolean {
    return members.some((line) => this.amountOf(line) === amount);
  }

  /** Whether a line of the target's side has the amount and the name of a line of the sum. */
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
    const references = numbers.filter(
      (word) => this.pool.words.linesWithReference(word).length > 0,
    );
    return (
      quotes(references, isMember, this.pool) ||
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

  /** The sum of all lines of a family. */
  private wholeOf(target: number, lines: number[], tried: Tried): Found | null {
    if (lines.length < 2 || lines.length > Math.max(this.size, MAX_WHOLE_SIZE)) return null;
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
   * A sum of some lines of a family. Of several sums, one of few lines at the front of the family
   * is least likely to be chance, because there are fewer such sums.
   */
  private subsetOf(
    target: number,
    { core, lines, named, max, batch }: Family,
    tried: Tried,
  ): Found | null {
    const amount = this.state[this.side].amount[target] as number;
    const sign = Math.sign(amount);
    let remaining = sign * amount;
    for (const line of core) remaining -= sign * this.amountOf(line);
    if (core.length > 0 && (!Number.isSafeInteger(remaining) || remaining <= 0)) return null;
    const limit = batch ? (batch.count ?? lines.length) : (max ?? this.size);
    const maxSize = Math.min(limit, batch ? limit : this.size - core.length, lines.length);
    const min = batch?.count ?? (core.length > 0 ? 1 : 2);
    if (maxSize < min) return null;
    const slack = this.slack(amount);
    let family = lines.slice(0, MAX_SUMMANDS);
    const amounts = family.map((line) => sign * this.amountOf(line));
    const chanceOf = (first: number, size: number) =>
      ((tried.wholes + tried.searches * combinations(first, min, size)) * (1 + 2 * slack)) /
      spreadOf(amounts.slice(0, first).map(Math.abs), remaining, size);
    // The family is cut until few sums are expected by chance: otherwise none would mean anything.
    while (family.length > min && chanceOf(family.length, maxSize) > MAX_EXPECTED_SOLUTIONS)
      family = family.slice(0, -1);
    const found = subsetSums(
      amounts.slice(0, family.length),
      remaining - slack,
      remaining + slack,
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
      unique: !second || (named && second.chance >= best.chance * RIVAL_FACTOR),
    };
  }
}

/** Whether these lines are searched for the first time: their order adds no chance solutions. */
function isNew(searched: Set<string>, lines: number[]): boolean {
  const { size } = searched;
  return searched.add(Int32Array.from(lines).sort().join()).size > size;
}

function hasSameMembers(a: Found, b: Found): boolean {
  return (
    a.members.length === b.members.length && a.members.every((line) => b.members.includes(line))
  );
}

/** The maximum number of lines of a whole day or name, more than a subset search combines. */
const MAX_WHOLE_SIZE = 50;

/**
 * Decides the solutions, those least likely to be chance first. A solution that overlaps a rival of
 * about the same chance is only suggested.
 */
function settle(state: RunState, rule: Rule, ruleIndex: number, solutions: Solution[]): void {
  const order = solutions.sort(
    (a, b) =>
      a.chance - b.chance || a.members.length - b.members.length || compareTargets(state, a, b),
  );
  const rivals = new Map<string, Solution[]>();
  for (const solution of order)
    for (const key of lineKeysOf(solution)) rivals.set(key, [...(rivals.get(key) ?? []), solution]);
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
    const isContested = lineKeysOf(solution).some((key) =>
      rivals.get(key)?.some((rival) => rival !== solution && rival.chance < chance * RIVAL_FACTOR),
    );
    const score = (unique ? 1 : 0.5) * (isContested ? 0.5 : 1) * (1 / (1 + chance / PRIOR[kind]));
    if (score < SUGGEST_SCORE || belongsToOtherParty(state, side, target, members)) continue;
    const isProbable =
      unique && chance < SURE_CHANCE[kind] && areRelated(state, side, target, members);
    const isSure =
      isProbable &&
      !isContested &&
      !fitsElsewhere &&
      !state.disputed.hasAny(left, right) &&
      !cancelsItself(state, solution) &&
      !addsCharges(state, solution) &&
      !addsUnquotedCredits(state, solution);
    const verdict = {
      basis: BASIS.sum,
      held: !isSure ? HELD.chance : rule.then === "match" ? HELD.no : HELD.rule,
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

/** Whether two lines cancel each other: the sum would be the same without them. */
function cancelsItself(state: RunState, { side, members }: Solution): boolean {
  const { amount } = state[opposite(side)];
  const amounts = new Set(members.map((line) => amount[line] as number));
  return members.some((line) => amounts.has(-(amount[line] as number)));
}

/**
 * Whether the sum consists of a bank's charges, which do not add up to an unrelated payment. A
 * processor's charges are payments: they are of several customers, or the payout quotes their
 * batch.
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

/** Whether a target quotes lines of its sum, but not each credit note that it subtracts. */
function addsUnquotedCredits(state: RunState, { side, target, members }: Solution): boolean {
  const own = statedNamesOf(state[side], target);
  const other = state[opposite(side)];
  const sign = Math.sign(state[side].amount[target] as number);
  const isCredit = (line: number) => Math.sign(other.amount[line] as number) === -sign;
  if (!members.some(isCredit)) return false;
  const isQuoted = (line: number) => sharedReference(own, statedNamesOf(other, line)) !== null;
  return members.some(isQuoted) && !members.filter(isCredit).every(isQuoted);
}

function lineKeysOf({ side, target, members }: Solution): string[] {
  const other = opposite(side);
  return [`${side} ${target}`, ...members.map((line) => `${other} ${line}`)];
}

function compareTargets(state: RunState, a: Solution, b: Solution): number {
  if (a.side !== b.side) return a.side === "left" ? -1 : 1;
  return compareLines(state[a.side], a.target, b.target);
}
