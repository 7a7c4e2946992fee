/**
 * Reversals that the other side also has. A returned direct debit was collected before, so the
 * booking and its reversal each have a counterpart there and don't cancel each other. The
 * counterpart quotes the reference, and its amount may include a bank's charge.
 */
import { isWithin } from "../prepare/amounts.ts";
import { hasDigit } from "../prepare/identifiers.ts";
import type { RunState } from "../prepare/run-state.ts";
import { wordsOf } from "../prepare/text.ts";
import { opposite, type Side } from "../side.ts";
import { MIN_QUOTED_LETTERS, nameOf, quotedNumbers } from "./reversal-names.ts";

/** The maximum that a bank charges for a return. */
const MAX_CHARGE = { bps: 500, minor: 2500 };

/**
 * @param reversals lines of one side.
 * @returns those whose reference an open line of the other side quotes, with about the same amount
 *   and the same sign.
 */
export function reversalsOnOtherSide(
  state: RunState,
  side: Side,
  reversals: readonly number[],
): Set<number> {
  const own = state[side];
  const other = state[opposite(side)];
  const byName = new Map<string, number[]>();
  for (const line of reversals) {
    const name = nameOf(own.words(line, "reference"));
    if (name.length < MIN_QUOTED_LETTERS || !hasDigit(name)) continue;
    const known = byName.get(name);
    if (known) known.push(line);
    else byName.set(name, [line]);
  }
  const onOtherSide = new Set<number>();
  if (byName.size === 0) return onOtherSide;
  for (const line of state.open(other.side)) {
    const reference = other.words(line, "reference");
    const description = wordsOf(other.text(line, "description") ?? "", "reference");
    for (const name of [
      nameOf(reference),
      ...quotedNumbers(reference),
      ...quotedNumbers(description),
    ]) {
      for (const reversal of byName.get(name) ?? []) {
        const isSameMoney =
          own.currency[reversal] === other.currency[line] &&
          isWithin(MAX_CHARGE, own.amount[reversal] as number, other.amount[line] as number);
        if (isSameMoney) onOtherSide.add(reversal);
      }
    }
  }
  return onOtherSide;
}
