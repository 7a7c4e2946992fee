import type { Proof } from "#lib/matching/periods/contract.ts";

/**
 * The part of left − right that a period's matches explain. The proof counts it on the larger side.
 */
export function leftMinusRight(
  { items }: Proof,
  currency: string,
  term: "adjustments" | "residual",
): string {
  return items
    .filter((item) => item.currency === currency)
    .reduce(
      (sum, item) => (item.side === "left" ? sum + BigInt(item[term]) : sum - BigInt(item[term])),
      0n,
    )
    .toString();
}
