import type { SignOff } from "#lib/reconciliations/contract.ts";

/**
 * What a period waits for on the way to its close. `self`: the reader; `mayReview`: whether they may
 * sign as a reviewer.
 */
export function nextStep(
  { state, levels, signatures }: Pick<SignOff, "state" | "levels" | "signatures">,
  { self, mayReview }: { self: string; mayReview: boolean },
): string | null {
  if (state === "open")
    return levels === 0 ? null : "Next: sign it as prepared, once its work is done.";
  if (signatures.length > levels) return "Next: close the period.";
  if (!mayReview) return "Next: a review by an admin or a lead.";
  return hasSigned({ signatures }, self)
    ? "Next: a review by someone other than you."
    : "Next: review the statement and sign, or return it to work.";
}

/** Whether `self` has signed this statement. Each signature needs another person. */
export function hasSigned({ signatures }: Pick<SignOff, "signatures">, self: string): boolean {
  return signatures.some(({ signed_by }) => signed_by === self);
}
