import { namesDiffer } from "../evidence/names-differ.ts";
import type { RunState } from "../prepare/run-state.ts";
import { opposite, type Side } from "../side.ts";

/**
 * Whether a line names a counterparty that lines of the other side have, but each line of its sum
 * has a different one: a customer's payment is not the sum of other customers' invoices. A payer
 * that no line of the other side names may be a processor.
 */
export function belongsToOtherParty(
  state: RunState,
  side: Side,
  target: number,
  members: readonly number[],
): boolean {
  const [own, other] = [state[side], state[opposite(side)]];
  const known = state.otherNames(opposite(side));
  const payer = own.hashes.counterparty.has(target) ? own.text(target, "counterparty") : null;
  const text = own.text(target, "description") ?? "";
  if (payer !== null && !known.has(payer)) return false;
  return members.every((line) => {
    const name = other.hashes.counterparty.has(line) ? other.text(line, "counterparty") : null;
    if (name === null) return false;
    return payer === null ? known.containsOther(name, text) : namesDiffer(name, payer);
  });
}
