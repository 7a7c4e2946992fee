import type { Statement } from "#lib/matching/periods/contract.ts";
import { leftMinusRight } from "../matching/left-minus-right.ts";

/**
 * The total of a period's items, and the amount that earlier periods add: together they are the sum
 * in the balances. `side`: null for amounts of left − right.
 */
export type Total = {
  currency: string;
  side: "left" | "right" | null;
  period: string;
  earlier: string;
};

export function excludedTotals({
  balances,
  proof,
}: Pick<Statement, "balances" | "proof">): Total[] {
  return balances.flatMap(({ currency, side, excluded_minor }) => {
    const own = proof.items.find((item) => item.currency === currency && item.side === side);
    return totalOf(currency, side, excluded_minor, own?.excluded ?? 0);
  });
}

export function explainedTotals(
  { differences, proof }: Pick<Statement, "differences" | "proof">,
  term: "adjustments" | "residual",
): Total[] {
  return differences.flatMap((difference) => {
    const { currency } = difference;
    return totalOf(
      currency,
      null,
      difference[`${term}_minor` as const],
      leftMinusRight(proof, currency, term),
    );
  });
}

/** Renders nothing if there is nothing to add up. */
function totalOf(
  currency: string,
  side: Total["side"],
  all: number | string,
  period: number | string,
): Total[] {
  const earlier = BigInt(all) - BigInt(period);
  if (earlier === 0n && BigInt(period) === 0n) return [];
  return [{ currency, side, period: String(period), earlier: earlier.toString() }];
}
