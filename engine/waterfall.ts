import type { Lines } from "./lines.ts";
import type { Matches } from "./matches.ts";
import { Sum } from "./prepare/sum.ts";
import type { Rule } from "./rules.ts";

/**
 * What each rule matched and suggested, in the order of the rules. Amounts are totals of the
 * allocated amounts, in minor units.
 */
export type Waterfall = {
  rules: {
    name: string;
    matches: number;
    suggested: number;
    left_lines: number;
    right_lines: number;
    amounts: { currency: string; left_minor: bigint; right_minor: bigint }[];
  }[];
  suggested_count: number;
  open_count: { left: number; right: number };
};

export function waterfall(
  confirmed: Matches,
  suggested: Matches,
  left: Lines,
  right: Lines,
  rules: readonly Rule[],
): Waterfall {
  const steps = rules.map(({ name }) => ({
    name,
    matches: 0,
    suggested: 0,
    left_lines: 0,
    right_lines: 0,
    amounts: new Map<string, { left: Sum; right: Sum }>(),
  }));
  const matched = { left: 0, right: 0 };
  for (let index = 0; index < confirmed.length; index++) {
    const step = steps[confirmed.rule[index] as number];
    if (!step) continue;
    const from = confirmed.start[index] as number;
    const lefts = confirmed.lefts[index] as number;
    const members = (confirmed.start[index + 1] as number) - from;
    const partial = confirmed.partial.get(index);
    step.matches += 1;
    step.left_lines += lefts;
    step.right_lines += members - lefts;
    matched.left += lefts;
    matched.right += members - lefts;
    const first = confirmed.member[from] as number;
    const currency = lefts > 0 ? left.currencyOf(first) : right.currencyOf(first);
    let amounts = step.amounts.get(currency);
    if (!amounts) {
      amounts = { left: new Sum(), right: new Sum() };
      step.amounts.set(currency, amounts);
    }
    for (let at = 0; at < members; at++) {
      const lines = at < lefts ? left : right;
      (at < lefts ? amounts.left : amounts.right).add(
        partial
          ? (partial[at] as number)
          : (lines.amount[confirmed.member[from + at] as number] as number),
      );
    }
  }
  for (let index = 0; index < suggested.length; index++) {
    const step = steps[suggested.rule[index] as number];
    if (step) step.suggested += 1;
  }
  return {
    rules: steps.map(({ amounts, ...step }) => ({
      ...step,
      amounts: [...amounts].sort().map(([currency, { left, right }]) => ({
        currency,
        left_minor: left.value(),
        right_minor: right.value(),
      })),
    })),
    suggested_count: suggested.length,
    open_count: { left: left.length - matched.left, right: right.length - matched.right },
  };
}
