import type { Evidence } from "./evidence.ts";
import { findBalance, isBalance } from "./find-balance.ts";
import { findCurrency } from "./find-currency.ts";
import { findStatus } from "./find-status.ts";
import { weighDirection } from "./weigh-direction.ts";
import { weighFee } from "./weigh-fee.ts";
import { orderPair, weighPair } from "./weigh-pair.ts";
import { weighSign, weighUnmarked } from "./weigh-sign.ts";

/**
 * Resolves what a table leaves open about its money, using the whole table. Stops at the first
 * question, because later questions may depend on the answer.
 */
export function weigh(evidence: Evidence, isPairOpen = false): void {
  const steps = [
    () => findStatus(evidence),
    () => findCurrency(evidence),
    () => findBalance(evidence),
    () => isPairOpen && orderPair(evidence),
    () => weighPair(evidence),
    () => weighDirection(evidence),
    () => weighUnmarked(evidence),
    () => weighSign(evidence),
    () => weighFee(evidence),
  ];
  for (const step of steps) {
    if (evidence.questions.length > 0) return;
    step();
  }
  const { balance } = evidence.mapping;
  const isConsistent = balance === undefined || isBalance(evidence, balance);
  if (!isConsistent) evidence.mapping = { ...evidence.mapping, balance: undefined };
}
