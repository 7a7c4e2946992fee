import { amountMarks } from "../../../../wire/amount-marks.ts";
import type { Mapping } from "../../mapping.ts";
import { directionOf } from "../../words/directions.ts";
import type { Column } from "../csv-table.ts";

export function signsIn(cells: readonly string[]): { plus: number; minus: number } {
  const found = { plus: 0, minus: 0 };
  for (const cell of cells) {
    if (!/[1-9]/.test(cell)) continue;
    const isNegative =
      cell.startsWith("-") || (/\D$|^\D/.test(cell) && amountMarks(cell)?.negative);
    if (isNegative) found.minus++;
    else found.plus++;
  }
  return found;
}

/**
 * Whether one sign is rare, as for refunds among payments: one amount against at least two, or
 * several against three times as many. The others then show the meaning of the column's sign.
 */
export function hasRareSign({ plus, minus }: { plus: number; minus: number }): boolean {
  const [minority, majority] = plus < minus ? [plus, minus] : [minus, plus];
  return minority === 1 ? majority >= 2 : majority >= 3 * minority;
}

/**
 * Whether every minus is in a row with money out, and every amount without a minus in a row with
 * money in.
 */
export function signsAgree(amounts: Column, directions: Column): boolean {
  return amounts.all.every((text, row) => {
    const direction = directionOf(directions.all[row] ?? "");
    if (direction === undefined || !/[1-9]/.test(text)) return true;
    return (amountMarks(text)?.negative ?? false) === (direction === -1);
  });
}

/** The magnitude of an amount, precise enough to compare; NaN if it is not an amount. */
export function magnitudeOf(text: string, { decimal_separator }: Mapping): number {
  const body = amountMarks(text)?.body;
  if (body === undefined) return Number.NaN;
  const mark = decimal_separator ?? (/[.,](?=\d{1,2}$)/.exec(body)?.[0] || ".");
  const at = body.lastIndexOf(mark);
  const whole = (at < 0 ? body : body.slice(0, at)).replace(/\D/g, "");
  const fraction = at < 0 ? "" : body.slice(at + 1).replace(/\D/g, "");
  return Number(`${whole || "0"}.${fraction || "0"}`);
}
