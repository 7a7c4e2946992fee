import { decimalsOf } from "../../../wire/currencies.ts";
import { type DecimalSeparator, writtenAmount } from "../../../wire/money.ts";
import { type BalanceKind, labelAtStart, labelOf } from "../words/balance-labels.ts";
import { looksLikeAmount, looksLikeDate } from "./csv-layout.ts";

/**
 * The first words of rows that are totals or balances instead of lines, as banks write them above
 * and below the table.
 */
const TOTALS =
  /^(?:(?:grand |sub)?totals?|sum|summe|gesamt(?:summe)?|zwischensumme|(?:anfangs|end|schluss)?saldo|kontostand|(?:opening|closing|beginning|ending) balance|balance|solde|totale|totaal|somme|suma|eindsaldo|beginsaldo)\b/i;

/** The formula of a total, which remains in its cell if no result was stored. */
const SUM_FORMULA = /^=(?:SUM|SUBTOTAL)\(/i;

/** Whether a row that begins with this text is a total, if it has no date. */
export function beginsTotal(text: string): boolean {
  return TOTALS.test(text) || SUM_FORMULA.test(text) || labelOf(text) === "total";
}

export type StatedBalance = { kind: BalanceKind; amount: string; currency: string | null };

/** The balance that a row outside of the table states: a label first, and the amount last. */
export function statedBalance(cells: readonly string[]): StatedBalance | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const [first = "", ...others] = filled;
  const kind = labelAtStart(first);
  if (kind === undefined) return undefined;
  const afterColon = first.includes(":") ? first.slice(first.indexOf(":") + 1).trim() : "";
  const amount = [afterColon, ...others].findLast(
    (text) => looksLikeAmount(text) && !looksLikeDate(text),
  );
  if (amount === undefined) return undefined;
  const currency = others.find((text) => decimalsOf(text) !== undefined) ?? null;
  return { kind, amount, currency };
}

/** The balance in minor units; null if it can't be read with certainty. */
export function minorOf(
  { amount, currency }: StatedBalance,
  fileCurrency: string | undefined,
  separator: DecimalSeparator | undefined,
): number | null {
  const minor = writtenAmount(amount, currency ?? fileCurrency ?? "EUR", separator);
  return typeof minor === "number" ? minor : null;
}
