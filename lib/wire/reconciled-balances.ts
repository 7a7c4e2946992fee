import type { Statement } from "../matching/periods/contract.ts";
import { type AgedKind, agingByKind, type OutstandingKind } from "./outstanding-kinds.ts";

/** One side in one currency, in minor units with the signs of the statement. */
export type SideBalance = {
  closing: bigint;
  /** Whether the source states it. Otherwise it is the sum of the lines. */
  isStated: boolean;
  statedOn: string | null;
  timing: bigint;
  outstanding: bigint;
  /** The same by kind; null if the statement doesn't state it. */
  outstandingByKind: Record<OutstandingKind, bigint> | null;
  excluded: bigint;
  adjusted: bigint;
  broughtForward: bigint;
  added: bigint;
  matched: bigint;
  newlyExcluded: bigint;
  open: bigint;
};

export type ReconciledBalances = {
  currency: string;
  left: SideBalance;
  right: SideBalance;
  /** The items that explain left − right; zero amounts are left out. */
  explained: { name: string; minor: bigint }[];
  /** adjusted left − adjusted right − the explained amounts. */
  unexplained: bigint;
};

/** The reconciliation of both sides' balances, per currency. */
export function reconciledBalances(
  statement: Pick<Statement, "balances" | "differences" | "proof" | "aging">,
): ReconciledBalances[] {
  return statement.differences.map((difference) => {
    const { currency } = difference;
    // Balances are compared as stated only if both sides state one.
    const areStated = (difference.unexplained_minor ?? null) !== null;
    const [left, right] = (["left", "right"] as const).map((side) =>
      sideOf(statement, currency, side, areStated),
    ) as [SideBalance, SideBalance];
    return {
      currency,
      left,
      right,
      explained: [
        { name: "Adjustments", minor: BigInt(difference.adjustments_minor) },
        { name: "Residuals", minor: BigInt(difference.residual_minor) },
      ].filter(({ minor }) => minor !== 0n),
      unexplained: BigInt(difference.unexplained_minor ?? difference.difference_minor),
    };
  });
}

function sideOf(
  { balances, proof, aging }: Pick<Statement, "balances" | "proof" | "aging">,
  currency: string,
  side: "left" | "right",
  areStated: boolean,
): SideBalance {
  const aged = agingByKind({ aging })?.filter(
    (item) => item.currency === currency && item.side === side,
  );
  const balance = balances.find(
    (balance) => balance.currency === currency && balance.side === side,
  );
  const sums = proof.items.find((item) => item.currency === currency && item.side === side);
  const stated = areStated ? (balance?.stated_closing_minor ?? null) : null;
  const closing = BigInt(stated ?? balance?.closing_minor ?? 0);
  const timing = stated === null ? 0n : BigInt(balance?.timing_minor ?? 0);
  const outstanding = BigInt(balance?.outstanding_minor ?? 0);
  const excluded = BigInt(balance?.excluded_minor ?? 0);
  const added = BigInt(balance?.lines_minor ?? 0);
  return {
    closing,
    isStated: stated !== null,
    statedOn: balance?.stated_on ?? null,
    timing,
    outstanding,
    outstandingByKind: aged
      ? { receipt: sumOf(aged, "receipt"), payment: sumOf(aged, "payment") }
      : null,
    excluded,
    adjusted: closing - timing - outstanding - excluded,
    broughtForward: BigInt(sums?.lines ?? 0) - added,
    added,
    matched: BigInt(sums?.matched ?? 0),
    newlyExcluded: BigInt(sums?.excluded ?? 0),
    open: BigInt(sums?.open ?? 0),
  };
}

function sumOf(aged: readonly AgedKind[], kind: OutstandingKind): bigint {
  return aged
    .filter((item) => item.kind === kind)
    .reduce((sum, { open_minor }) => sum + BigInt(open_minor), 0n);
}
