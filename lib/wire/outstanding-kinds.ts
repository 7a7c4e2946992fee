import type { Statement } from "../matching/periods/contract.ts";

export const OUTSTANDING_KINDS = ["receipt", "payment"] as const;
/** The sign of an open amount decides: a receipt, or a payment below zero. */
export type OutstandingKind = (typeof OUTSTANDING_KINDS)[number];

export type AgedKind = {
  kind: OutstandingKind;
  currency: string;
  side: "left" | "right";
  days_from: number;
  line_count: number;
  open_minor: number | string;
};

/**
 * What is outstanding by age and kind, receipts first; ages without lines of the kind are left out.
 * Null for statements that closed before kinds were stated.
 */
export function agingByKind({ aging }: Pick<Statement, "aging">): AgedKind[] | null {
  if (aging.some(({ receipt_count }) => receipt_count === undefined)) return null;
  return OUTSTANDING_KINDS.flatMap((kind) =>
    aging
      .map(({ currency, side, days_from, ...aged }) => ({
        kind,
        currency,
        side,
        days_from,
        line_count: aged[`${kind}_count` as const] ?? 0,
        open_minor: aged[`${kind}_minor` as const] ?? 0,
      }))
      .filter(({ line_count }) => line_count > 0),
  );
}

type Sides = Pick<Statement, "left_source" | "right_source" | "left_kind" | "right_kind">;

/**
 * The kind as accountants name it: what a ledger has and its bank doesn't is a deposit in transit
 * or an outstanding payment. Otherwise it says which source lacks it.
 */
export function outstandingName(
  kind: OutstandingKind,
  side: "left" | "right",
  { left_source, right_source, left_kind, right_kind }: Sides,
): string {
  const [own, other, missing] =
    side === "left" ? [left_kind, right_kind, right_source] : [right_kind, left_kind, left_source];
  if (own === "ledger" && other === "bank_statement")
    return kind === "receipt" ? "Deposits in transit" : "Outstanding payments";
  return `${kind === "receipt" ? "Receipts" : "Payments"} not in ${missing}`;
}
