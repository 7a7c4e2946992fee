import { ROWS_COMPARED, shareOfSteps, thousandthsOf } from "./csv-steps.ts";
import type { Column } from "./csv-table.ts";

/**
 * The columns that can be the amount, among several whose names don't say it: a line has an amount
 * in each row, bare integers are also numbers of cheques and accounts, and a balance moves by the
 * amount.
 */
export function likelyAmounts(columns: Column[]): { amounts: Column[]; balance?: Column } {
  const filled = columns.filter(
    ({ all, cells }) => cells.length === all.length && cells.some(isWrittenAsMoney),
  );
  const others = columns.filter((one) => !filled.includes(one));
  const isSure = filled.length > 0 && !others.some(({ cells }) => cells.some(isWrittenAsMoney));
  const amounts = isSure ? filled : columns;
  const moved = amounts.filter((one) =>
    amounts.some((amount) => amount !== one && movesBy(one, amount)),
  );
  // A balance after the line usually stands to the right of the one before it.
  const balance = moved.at(-1);
  return balance
    ? { amounts: amounts.filter((one) => !moved.includes(one)), balance }
    : { amounts };
}

/** With a sign or decimals. */
function isWrittenAsMoney(cell: string): boolean {
  return /^[-+(\u2212]|[-+)\u2212]$|[.,]\d{1,3}(?:\D|$)/.test(cell);
}

/** Whether each step of a column has the size of the amount in its row, or in the row before. */
function movesBy(balance: Column, amount: Column): boolean {
  const balances = balance.all.slice(0, ROWS_COMPARED).map(thousandthsOf);
  if (balances.every((one) => one === balances[0])) return false;
  const sizes = amount.all.slice(0, ROWS_COMPARED).map((cell) => Math.abs(thousandthsOf(cell)));
  return shareOfSteps(balances, sizes) === 1;
}
