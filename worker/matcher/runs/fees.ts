/**
 * Fees of lines. Where a pair deducts them, an entirely open line is weighed by its amount less its
 * fee, which is what was paid out; the match takes the whole line, and has the fee as an
 * adjustment. Where a person matched part of a line, the fee went with that part.
 */
import type { Client } from "pg";
import { sum } from "../../../engine/prepare/sum.ts";
import { copyRows } from "./copy-rows.ts";

/** By the numbers of lines, in their effective sign. Lines without a fee are not in it. */
export type Fees = ReadonlyMap<number, number>;

/** Fees of the lines that a run was given (private.load_run). */
export async function readFees(client: Client): Promise<Fees> {
  const fees = new Map<number, number>();
  await copyRows(client, "select line_no, minor from pg_temp.line_fees", (row) => {
    fees.set(row.integer(), row.integer());
  });
  return fees;
}

/** What the lines give with their fees, by what they were weighed with. */
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
export function feeOf(fees: Fees, handles: readonly number[], lefts: number): bigint {
  if (fees.size === 0) return 0n;
  const each = handles.map((handle) => fees.get(handle) ?? 0);
  return sum(each.slice(0, lefts)) - sum(each.slice(lefts));
}
