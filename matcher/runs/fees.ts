/**
 * Fees of lines. Where a pair deducts them, a line that is given whole is weighed by what was paid out, its amount less its fee; the match takes the
 * whole line, and has the fee as an adjustment. Of a line that a person matched in part, the fee went with that part.
 */
import type { Client } from "pg";
import { sum } from "../engine/sum.ts";
import { copyRows } from "./copy-rows.ts";
import type { RunToDo } from "./run-to-do.ts";

/** By the numbers of lines, in their effective sign. Lines without a fee are not in it. */
export type Fees = ReadonlyMap<number, number>;

const NONE: Fees = new Map();

/** Fees of the lines in `given_lines`, each of which is there with all that a run may take of it; they are in `line_fees`, too, where there are any. */
export async function readFees(client: Client, { tenantId, policy }: RunToDo): Promise<Fees> {
  if (policy.fees !== "deduct") return NONE;
  // In an order that one index alone gives, whatever the planner expects.
  const { rows } = await client.query(
    "select l.fee_minor from public.lines l where l.tenant_id = $1 and l.fee_minor <> 0 order by l.fee_minor limit 1",
    [tenantId],
  );
  if (rows.length === 0) return NONE;
  await client.query("create temp table line_fees (line_no bigint not null, minor bigint not null) on commit drop");
  await client.query(
    `insert into line_fees select g.line_no, private.fee_of_whole(l.line, g.minor)
     from (select line_no, sum(minor)::bigint as minor from given_lines group by 1 order by 1) g
     join (
       select x.line_no, x as line from public.lines x
       where x.tenant_id = $1 and x.fee_minor <> 0 and x.line_no = any (array(select line_no from given_lines)) order by x.line_no
     ) l on l.line_no = g.line_no
     where private.fee_of_whole(l.line, g.minor) <> 0`,
    [tenantId],
  );
  const fees = new Map<number, number>();
  await copyRows(client, "select line_no, minor from line_fees", (row) => {
    fees.set(row.integer(), row.integer());
  });
  return fees;
}

/** What the lines give with their fees, by what they were weighed with. */
export function withFees(fees: Fees, handles: readonly number[], weighed: readonly number[]): readonly number[] {
  return fees.size === 0 ? weighed : weighed.map((minor, at) => minor + (fees.get(handles[at] as number) ?? 0));
}

/** The fees of a match, left − right: its adjustment. */
export function feeOf(fees: Fees, handles: readonly number[], lefts: number): bigint {
  if (fees.size === 0) return 0n;
  const each = handles.map((handle) => fees.get(handle) ?? 0);
  return sum(each.slice(0, lefts)) - sum(each.slice(lefts));
}
