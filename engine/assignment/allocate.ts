import type { Lines } from "../lines.ts";
import { sum } from "../prepare/sum.ts";
import type { Rule } from "../rules.ts";

/**
 * What each line of a match gives to it, left lines first; undefined where each gives all that is
 * open of it. Under `residual: none` the side that is larger keeps the difference open, on its last
 * line.
 * @returns null where that line cannot: it is too small, or of the other sign, so that it would give more than it has. There is no such match.
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
  const given = (amounts[last] as number) - surplus;
  // A line gives something, of its own sign, and never more than it has.
  if (
    given === 0 ||
    given > 0 !== (amounts[last] as number) > 0 ||
    Math.abs(given) > Math.abs(amounts[last] as number)
  )
    return null;
  amounts[last] = given;
  return [...leftAmounts, ...rightAmounts];
}
