/**
 * Reversals that the other side shows, too: a returned direct debit was collected before, so the
 * booking and its reversal each have a counterpart there and don't cancel each other. The line of
 * the other side quotes the reference, and may include a bank's charge.
 */
import { isWithin } from "../prepare/amounts.ts";
import { hasDigit } from "../prepare/identifiers.ts";
import type { RunState } from "../prepare/run-state.ts";
import { wordsOf } from "../prepare/text.ts";
import { opposite, type Side } from "../side.ts";
import { MIN_QUOTED_LETTERS, nameOf, quoted } from "./reversal-names.ts";

/** What a bank may charge for a return. */
const CHARGE = { bps: 500, minor: 2500 };

/**
 * @returns those of `reversals`, lines of one side, that open lines of the other side quote with
 *   about their amount and their sign.
 */
export function shownAcross(
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
  const shown = new Set<number>();
  if (byName.size === 0) return shown;
  for (const line of state.open(other.side)) {
    const reference = other.words(line, "reference");
    const description = wordsOf(other.text(line, "description") ?? "", "reference");
    for (const name of [nameOf(reference), ...quoted(reference), ...quoted(description)]) {
      for (const reversal of byName.get(name) ?? []) {
        const isSameMoney =
          own.currency[reversal] === other.currency[line] &&
          isWithin(CHARGE, own.amount[reversal] as number, other.amount[line] as number);
        if (isSameMoney) shown.add(reversal);
      }
    }
  }
  return shown;
}
