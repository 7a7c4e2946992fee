import { ADJUSTMENT_LABELS } from "#components/kit/match-labels.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import type { Adjustment } from "./use-decide.ts";

type Named = Pick<OpenLine, "reference" | "counterparty" | "description">;

/** What was booked: "Confirmed €4,850.00: po_777, fee €150.00". */
export function describeBooking(
  action: string,
  lines: readonly Named[],
  adjustments: readonly Adjustment[],
  currency: string,
): string {
  const name = lines
    .map(({ reference, counterparty, description }) => reference || counterparty || description)
    .find(Boolean);
  const parts = adjustments.map(
    ({ kind, amount_minor }) =>
      `${ADJUSTMENT_LABELS[kind].toLowerCase()} ${formatMoney(amount_minor, currency)}`,
  );
  const sentence = [name, ...parts].filter(Boolean).join(", ");
  return sentence === "" ? action : `${action}: ${sentence}`;
}
