import type { Proof } from "#lib/matching/periods/contract.ts";

/**
 * What a period's matches explain of left − right. The proof has it on the side that is the larger
 * for it.
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
