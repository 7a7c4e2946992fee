/**
 * Finds a line that pays several lines of one counterparty less a cash discount that is not a
 * separate line. It is only suggested, and only if no exact sum was found.
 */
import { BASIS, HELD } from "../matches.ts";
import { toleranceFor, toleranceOf } from "../prepare/amounts.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import type { Side } from "../side.ts";
import { combinations, spreadOf, subsetSums } from "./subset-sum.ts";
import type { SumPool, SumPools } from "./sum-pool.ts";

/** The discounts that terms of payment commonly grant, in thousandths. */
const DISCOUNTS = [20, 30, 10, 25, 15, 40, 50];
/** The expected number of chance solutions above which a discounted sum means nothing. */
const MAX_CHANCE = 0.3;
/** Below the score of an exact sum that names its lines. */
const SCORE = 0.9;
/** The expected number of chance solutions at which the score is halved. */
const DOUBTFUL_CHANCE = { quoted: 1, named: 0.1 };
/** If more sums of any size are expected by chance, none is searched for. */
const MAX_CHANCE_OF_ANY = 2;
const MAX_INVOICES = 16;
const MAX_PARTS = 8;
const SLICE = 50;
const BUDGET = 10_000_000;

/** `isQuoted`: the target quotes the lines that it pays, so only the rate may be a coincidence. */
type Discounted = { members: number[]; discount: number; chance: number; isQuoted?: true };

/** @param differing the rule that allows a difference. Larger discounts are not suggested. */
export function* discountedSums(
  state: RunState,
  rule: Rule,
  differing: { rule: Rule; index: number },
  pools: SumPools,
): Generator<Progress> {
  for (const side of ["left", "right"] as const) {
    const search = new DiscountSearch(state, side, pools[side], differing.rule);
    const targets = state.openForSums(side);
    for (let done = 0; done < targets.length && search.steps < BUDGET; done++) {
      if (done % SLICE === 0) yield { stage: rule.name, done, total: targets.length };
      const target = targets[done] as number;
      const found = search.solve(target);
      if (!found) continue;
      const { members, discount, chance, isQuoted } = found;
      const doubtful = DOUBTFUL_CHANCE[isQuoted ? "quoted" : "named"];
      const [left, right] = side === "left" ? [[target], members] : [members, [target]];
      if (state.isRejected(left, right) || state.exactSums.hasAny(left, right)) continue;
      state.decide(differing.index, left, right, {
        basis: BASIS.sum,
        held: HELD.chance,
        score: SCORE / (1 + chance / doubtful),
        margin: -Math.log(chance),
        isNamed: true,
        note: `The difference is a discount of ${discount / 10} % on the sum of these lines.`,
      });
    }
  }
}

class DiscountSearch {
  steps = 0;
  private readonly state: RunState;
  private readonly side: Side;
  private readonly pool: SumPool;
  private readonly differing: Rule;

  constructor(state: RunState, side: Side, pool: SumPool, differing: Rule) {
    this.state = state;
    this.side = side;
    this.pool = pool;
    this.differing = differing;
  }

  /** The only discounted sum of lines that the target names; null if it has none or several. */
  solve(target: number): Discounted | null {
    const amount = this.state[this.side].amount[target] as number;
    if (amount === 0 || this.pool.hasNoSearchSpace(target)) return null;
    for (const { lines, whole, isQuoted } of this.pool.payable(target)) {
      this.steps += lines.length;
      const found = whole ? this.allPaidBy(amount, lines) : this.somePaidBy(amount, lines);
      if (found.length === 1) return { ...(found[0] as Discounted), isQuoted };
      if (found.length > 1) return null;
    }
    return null;
  }

  private allPaidBy(amount: number, lines: number[]): Discounted[] {
    if (lines.length === 1 && !this.isInvoice(lines[0] as number)) return [];
    const discounts = DISCOUNTS.filter((discount) => this.isPaidBy(amount, lines, discount));
    if (discounts.length === 0) return [];
    const chance = this.chanceOf(lines, amount, DISCOUNTS.length);
    if (chance > MAX_CHANCE) return [];
    return discounts.map((discount) => ({ members: lines, discount, chance }));
  }

  private somePaidBy(amount: number, all: number[]): Discounted[] {
    const lines = all.slice(0, MAX_INVOICES);
    const sign = Math.sign(amount);
    const amounts = lines.map((line) => sign * this.amountOf(line));
    const max = Math.min(MAX_PARTS, lines.length);
    this.steps += DISCOUNTS.length * 2 ** (lines.length / 2 + 1);
    const tries = DISCOUNTS.length * combinations(lines.length, 1, max);
    const chanceOfAny = this.chanceOf(lines, amount, tries);
    if (chanceOfAny > MAX_CHANCE_OF_ANY) return [];
    return DISCOUNTS.flatMap((discount) => {
      const gross = Math.abs(amount) / (1 - discount / 1000);
      const slack = lines.length / 2 + 1;
      const [low, high] = [Math.ceil(gross - slack), Math.floor(gross + slack)];
      return subsetSums(amounts, low, high, 1, max, 2)
        .map((places) => places.map((at) => lines[at] as number))
        .filter((members) => members.length > 1 || this.isInvoice(members[0] as number))
        .filter((members) => this.isPaidBy(amount, members, discount))
        .map((members) => ({
          members,
          discount,
          chance: this.chanceOfSize(lines, amount, members),
        }))
        .filter(({ chance }) => chance <= MAX_CHANCE);
    });
  }

  /** The chance of a sum of the same size, of the first lines up to the last one that it needs. */
  private chanceOfSize(lines: number[], amount: number, members: number[]): number {
    const first = lines.slice(0, Math.max(...members.map((line) => lines.indexOf(line))) + 1);
    const tries = DISCOUNTS.length * combinations(first.length, members.length, members.length);
    return this.chanceOf(first, amount, tries);
  }

  private chanceOf(lines: number[], amount: number, tries: number): number {
    const sizes = lines.map((line) => Math.abs(this.amountOf(line)));
    return (tries * (lines.length + 2)) / spreadOf(sizes, Math.abs(amount), lines.length);
  }

  /** Whether the lines add up to the amount, each less the discount and rounded to a minor unit. */
  private isPaidBy(amount: number, lines: number[], discount: number): boolean {
    const total = lines.reduce((sum, line) => sum + this.amountOf(line), 0);
    if (!Number.isSafeInteger(total)) return false;
    const off = Math.abs(total * (1 - discount / 1000) - amount);
    const allowed = toleranceFor(toleranceOf(this.differing), total, amount);
    return off <= lines.length / 2 + 0.5 && Math.abs(total - amount) <= allowed;
  }

  /**
   * Whether a line is an invoice, which has a number. Only invoices have discounts; other amounts
   * may differ by the same rate by chance.
   */
  private isInvoice(line: number): boolean {
    return this.pool.other.hashes.reference.has(line);
  }

  private amountOf(line: number): number {
    return this.pool.other.amount[line] as number;
  }
}
