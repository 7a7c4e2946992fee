import { daysAround } from "../candidates/window.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";

/**
 * The rule of equal amounts, if two lines have equal amounts and fit its days: they have no fee,
 * whichever rule finds them.
 */
export function decidingRule(
  { left, right }: RunState,
  ofEqualAmounts: { rule: Rule; index: number } | null,
  ruleIndex: number,
  l: number,
  r: number,
): number {
  if (!ofEqualAmounts || left.amount[l] !== right.amount[r]) return ruleIndex;
  const { before, after } = daysAround(ofEqualAmounts.rule);
  const lag = (right.value_date[r] as number) - (left.value_date[l] as number);
  return lag >= -before && lag <= after ? ofEqualAmounts.index : ruleIndex;
}
