import type { Lines } from "../lines.ts";
import { sum } from "../prepare/sum.ts";
import type { Rule } from "../rules.ts";

/**
 * Allocates an amount of each line to a match. Under `residual: none` the difference stays open on
 * the last line of the larger side.
 * @returns the amounts, left lines first; undefined if the match takes everything that is open;
 *   null if that last line is too small for the difference or has the opposite sign, so that the
 *   match is impossible.
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
  // Each line contributes more than zero, with its sign, and never more than is open.
  if (
    reduced === 0 ||
    reduced > 0 !== (amounts[last] as number) > 0 ||
    Math.abs(reduced) > Math.abs(amounts[last] as number)
  )
    return null;
  amounts[last] = reduced;
  return [...leftAmounts, ...rightAmounts];
}
