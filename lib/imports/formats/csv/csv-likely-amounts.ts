import { MAX_COMPARED_ROWS, shareOfSteps, thousandthsOf } from "./csv-steps.ts";
import type { Column } from "./csv-table.ts";

/**
 * The columns that may be the amount, among several whose names don't tell. The amount is filled in
 * each row and has signs or decimals, because bare integers may be check numbers or account
 * numbers. A column that moves by the amounts of another is a balance.
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
  // The balance after a line is usually to the right of the balance before it.
  const balance = moved.at(-1);
  return balance
    ? { amounts: amounts.filter((one) => !moved.includes(one)), balance }
    : { amounts };
}

/** Whether an amount has a sign or decimals. */
function isWrittenAsMoney(cell: string): boolean {
  return /^[-+(\u2212]|[-+)\u2212]$|[.,]\d{1,3}(?:\D|$)/.test(cell);
}

/** Whether each step of a column has the size of the amount in its row, or in the row before. */
function movesBy(balance: Column, amount: Column): boolean {
  const balances = balance.all.slice(0, MAX_COMPARED_ROWS).map(thousandthsOf);
  if (balances.every((one) => one === balances[0])) return false;
  const sizes = amount.all.slice(0, MAX_COMPARED_ROWS).map((cell) => Math.abs(thousandthsOf(cell)));
  return shareOfSteps(balances, sizes) === 1;
}
