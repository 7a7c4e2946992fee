/**
 * Fees of lines. If a pair deducts them, a completely open line is weighed by its amount less its
 * fee, which is what was paid out; the match takes the whole line, with the fee as an adjustment.
 * If a person matched part of a line, the fee went with that part.
 */
import type { Client } from "pg";
import { sum } from "../../../engine/prepare/sum.ts";
import { copyRows } from "./copy-rows.ts";

/** Fees by line number, with their effective sign, without lines that have no fee. */
export type Fees = ReadonlyMap<number, number>;

/** Fees of the lines that a run was given (private.load_run). */
export async function readFees(client: Client): Promise<Fees> {
  const fees = new Map<number, number>();
  await copyRows(client, "select line_no, minor from pg_temp.line_fees", (row) => {
    fees.set(row.integer(), row.integer());
  });
  return fees;
}

/** The lines' amounts including their fees, from the amounts that the engine weighed. */
export function withFees(
  fees: Fees,
  handles: readonly number[],
  weighed: readonly number[],
): readonly number[] {
  return fees.size === 0
    ? weighed
    : weighed.map((minor, at) => minor + (fees.get(handles[at] as number) ?? 0));
}

/** The fees of a match, left − right: its adjustment. */
export function feeOf(fees: Fees, handles: readonly number[], leftCount: number): bigint {
  if (fees.size === 0) return 0n;
  const lineFees = handles.map((handle) => fees.get(handle) ?? 0);
  return sum(lineFees.slice(0, leftCount)) - sum(lineFees.slice(leftCount));
}
