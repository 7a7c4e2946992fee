/**
 * One line that is the sum of several of the other side: looked for among lines that share its rare words, lines of one day or one
 * name, and the lines nearest to it in time; taken only where the solution is the only one and unlikely to be chance.
 */
import { allocate } from "../assignment/allocate.ts";
import type { Days } from "../candidates/window.ts";
import { BASIS, HELD } from "../matches.ts";
import { toleranceFor, toleranceOf } from "../prepare/amounts.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import { areRelated } from "./relation.ts";
import { combinations, MOST_SUMMANDS, spreadOf, subsetSums } from "./subset-sum.ts";
import { SumPool } from "./sum-pool.ts";

export const DEFAULT_GROUP_SIZE = 8;
/** Expected chance solutions below which a sum is taken: of lines that name each other, and of others. */
const SURE_CHANCE = { named: 0.01, unnamed: 0.002 };
/** Beyond this a solution would mean nothing, and none is looked for. */
const IDLE_CHANCE = 0.3;
/** How common sums are, beside chance: among lines that name each other, and others. */
const PRIOR = { named: 0.3, unnamed: 0.05 };
/** Less probable sums are not even suggested. */
const SUGGEST_SCORE = 0.3;
/** A rival this much likelier to be chance is none. */
const CLEARLY = 20;
const SLICE = 50;
/** Steps of all searches of a side together. */
const BUDGET = 30_000_000;

type Solution = {
  side: Side;
  target: number;
  members: number[];
  chance: number;
  named: boolean;
  unique: boolean;
};

export function* sums(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
  { sumsOf, reach }: { sumsOf: "named" | "all"; reach: Days },
): Generator<Progress> {
  const solutions: Solution[] = [];
  for (const side of ["left", "right"] as const) {
    const search = new SumSearch(state, rule, side, businessDays, reach);
    const targets = state.openUncancelled(side);
    for (const [done, target] of targets.entries()) {
      if (done % SLICE === 0) yield { stage: rule.name, done, total: targets.length };
      if (search.steps > BUDGET) break;
      const solution = search.solve(target, sumsOf === "named");
      if (solution) solutions.push(solution);
    }
  }
  settle(state, rule, ruleIndex, solutions);
}

class SumSearch {
  steps = 0;
  private readonly state: RunState;
  private readonly rule: Rule;
  private readonly side: Side;
  private readonly pool: SumPool;
  private readonly size: number;

  constructor(state: RunState, rule: Rule, side: Side, businessDays: BusinessDays, reach: Days) {
    this.state = state;
    this.rule = rule;
    this.side = side;
    this.pool = new SumPool(state, rule, side, daysOf(rule, businessDays), reach);
    this.size = rule.max_group_size ?? DEFAULT_GROUP_SIZE;
  }

  /** The best sum that makes up the target; null where there is none worth proposing. */
  solve(target: number, onlyNamed: boolean): Solution | null {
    const amount = this.state[this.side].amount[target] as number;
    if (amount === 0 || this.pool.isLost(target)) return null;
    const tried = { named: 0, unnamed: 0 };
    const hasEqual = this.pool.hasEqual(target);
    for (const { core, lines, named, whole, most } of this.pool.families(target, onlyNamed)) {
      // Where the same amount stands on the other side, a sum that nothing names is not what is missing.
      if ((hasEqual || onlyNamed) && !named) return null;
      const kind = named ? "named" : "unnamed";
      const solution = whole
        ? this.wholeOf(target, lines)
        : this.subsetOf(target, core, lines, tried[kind], most);
      this.steps += lines.length;
      if (whole) tried[kind] += 1;
      else tried[kind] += solution.tried;
      if (solution.members.length < 2) continue;
      const slack = 1 + 2 * this.slack(amount);
      const chance =
        (Math.max(1, tried[kind]) * slack) /
        spreadOf(
          lines.map((line) => Math.abs(this.amountOf(line))),
          Math.abs(amount),
          whole ? lines.length : (most ?? this.size),
        );
      if (chance > IDLE_CHANCE) continue;
      return {
        side: this.side,
        target,
        members: solution.members,
        chance,
        named,
        unique: solution.solutions === 1,
      };
    }
    return null;
  }

  private slack(amount: number): number {
    return toleranceFor(toleranceOf(this.rule), amount, 0);
  }

  private amountOf(line: number): number {
    return this.pool.other.amount[line] as number;
  }

  /** All lines of a family together, or all but one. */
  private wholeOf(
    target: number,
    lines: number[],
  ): { members: number[]; solutions: number; tried: number } {
    const none = { members: [], solutions: 0, tried: 1 };
    if (lines.length > Math.max(this.size, WHOLE_SIZE)) return none;
    const amount = this.state[this.side].amount[target] as number;
    let total = 0;
    for (const line of lines) total += this.amountOf(line);
    if (!Number.isSafeInteger(total)) return none;
    return Math.abs(total - amount) <= this.slack(amount)
      ? { members: lines, solutions: 1, tried: 1 }
      : none;
  }

  private subsetOf(
    target: number,
    core: number[],
    lines: number[],
    before: number,
    atMost?: number,
  ): { members: number[]; solutions: number; tried: number } {
    const none = { members: [], solutions: 0, tried: 0 };
    const amount = this.state[this.side].amount[target] as number;
    let rest = amount;
    for (const line of core) rest -= this.amountOf(line);
    if (core.length > 0 && (!Number.isSafeInteger(rest) || rest === 0 || rest > 0 !== amount > 0))
      return none;
    const most = Math.min(atMost ?? this.size, this.size - core.length, lines.length);
    const least = core.length > 0 ? 1 : 2;
    if (most < least) return none;
    const size = Math.abs(rest);
    const slack = this.slack(amount);
    let family = lines.slice(0, MOST_SUMMANDS);
    // The nearest of them, as many as leave a solution unlikely to be chance.
    for (;;) {
      if (family.length < least) return none;
      const expected =
        ((before + combinations(family.length, least, most)) * (1 + 2 * slack)) /
        spreadOf(
          family.map((line) => Math.abs(this.amountOf(line))),
          size,
          most,
        );
      if (expected <= IDLE_CHANCE) break;
      family = family.slice(0, -1);
    }
    const amounts = family.map((line) => Math.abs(this.amountOf(line)));
    const found = subsetSums(amounts, size - slack, size + slack, least, most, 2);
    this.steps += 2 ** (family.length / 2 + 1);
    const members = found.first.map((at) => family[at] as number);
    return {
      members: members.length > 0 ? [...core, ...members] : [],
      solutions: found.solutions,
      tried: combinations(family.length, least, most),
    };
  }
}

/** A whole day or a whole name may have more lines than a search for subsets would combine. */
const WHOLE_SIZE = 50;

/** The least likely to be chance first; what overlaps a rival that is about as good stays a suggestion. */
function settle(state: RunState, rule: Rule, ruleIndex: number, solutions: Solution[]): void {
  const order = solutions.sort(
    (one, other) =>
      one.chance - other.chance ||
      one.members.length - other.members.length ||
      compareTargets(state, one, other),
  );
  const rivals = new Map<string, Solution[]>();
  for (const solution of order)
    for (const key of linesOf(solution)) rivals.set(key, [...(rivals.get(key) ?? []), solution]);
  for (const solution of order) {
    const { side, target, members, chance, named, unique } = solution;
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
    if (score < SUGGEST_SCORE) continue;
    const sure =
      unique &&
      !contested &&
      !cancelsItself(state, solution) &&
      chance < SURE_CHANCE[kind] &&
      areRelated(state, side, target, members);
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
  }
}

/** Lines of which two cancel each other are the sum without these, too. */
function cancelsItself(state: RunState, { side, members }: Solution): boolean {
  const { amount } = state[opposite(side)];
  const amounts = new Set(members.map((line) => amount[line] as number));
  return members.some((line) => amounts.has(-(amount[line] as number)));
}

function linesOf({ side, target, members }: Solution): string[] {
  const other = opposite(side);
  return [`${side} ${target}`, ...members.map((line) => `${other} ${line}`)];
}

function compareTargets(state: RunState, one: Solution, other: Solution): number {
  if (one.side !== other.side) return one.side === "left" ? -1 : 1;
  return compareLines(state[one.side], one.target, other.target);
}
