import { daysAround } from "../candidates/window.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";

/**
 * The index of the rule under which a pair is matched: the rule of equal amounts if the amounts are
 * equal and the days fit that rule. Such a pair has no fee, whichever rule finds it.
 */
export function decidingRule(
  { left, right }: RunState,
  equalAmountsRule: { rule: Rule; index: number } | null,
  ruleIndex: number,
  l: number,
  r: number,
): number {
  if (!equalAmountsRule || left.amount[l] !== right.amount[r]) return ruleIndex;
  const { before, after } = daysAround(equalAmountsRule.rule);
  const lag = (right.value_date[r] as number) - (left.value_date[l] as number);
  return lag >= -before && lag <= after ? equalAmountsRule.index : ruleIndex;
}
