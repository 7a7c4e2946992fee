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
 * One refund among payments, or a few among many: the others show the meaning of the column's sign.
 */
export function isLone({ plus, minus }: { plus: number; minus: number }): boolean {
  const [few, many] = plus < minus ? [plus, minus] : [minus, plus];
  return few === 1 ? many >= 2 : many >= 3 * few;
}

/**
 * Whether every minus is in a row with money out, and every amount without one in a row with money
 * in.
 */
export function agrees(amounts: Column, directions: Column): boolean {
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
