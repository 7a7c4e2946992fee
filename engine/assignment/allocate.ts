import type { Lines } from "../lines.ts";
import { sum } from "../prepare/sum.ts";
import type { Rule } from "../rules.ts";

/**
 * How much of each line a match takes, left lines first; undefined if it takes everything that is
 * open. Under `residual: none` the larger side keeps the difference open, on its last line.
 * @returns null if that line cannot: it is too small, or has the other sign, so it would give more
 *   than it has. Then there is no such match.
 */
export function allocate(
  left: Lines,
  leftMembers: readonly number[],
  right: Lines,
  rightMembers: readonly number[],
  rule: Rule,
): number[] | undefined | null {
  if (rule.residual !== "none") return undefined;
  const leftAmounts = leftMembers.map((line) => left.amount[line] as number);
  const rightAmounts = rightMembers.map((line) => right.amount[line] as number);
  const difference = sum(leftAmounts) - sum(rightAmounts);
  if (difference === 0n) return undefined;
  const amounts = difference > 0n === sum(leftAmounts) > 0n ? leftAmounts : rightAmounts;
  const surplus = Number(amounts === leftAmounts ? difference : -difference);
  const last = amounts.length - 1;
  const reduced = (amounts[last] as number) - surplus;
  // Each line gives something, with its own sign, and never more than it has.
  if (
    reduced === 0 ||
    reduced > 0 !== (amounts[last] as number) > 0 ||
    Math.abs(reduced) > Math.abs(amounts[last] as number)
  )
    return null;
  amounts[last] = reduced;
  return [...leftAmounts, ...rightAmounts];
}
