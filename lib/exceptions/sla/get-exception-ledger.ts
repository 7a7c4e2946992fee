import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Exception } from "../contract.ts";
import type { getExceptionLedgerContract } from "./contract.ts";

type Ledger = z.output<typeof getExceptionLedgerContract.response>;
type Row = Ledger["rows"][number];
type Change = Omit<Row, "elapsed_seconds" | "moved_seconds" | "remaining_seconds">;
type Stored = { as_of: string; exception: Exception; rows: Change[] };

/** The ledger of one exception's clock, and in words what came of it. */
export async function getExceptionLedger(ctx: Context, id: string): Promise<Ledger> {
  const { as_of, exception: current, rows } = await read<Stored>(ctx, "get_exception_ledger", { id });
  const added = addUp(rows);
  const breached = added.some(({ kind, threshold_minutes }) => kind === "crossed" && threshold_minutes === 0);
  const isLate = current.closed_at === null && current.due_at <= as_of;
  return {
    exception_id: id,
    as_of,
    breached: breached || isLate,
    explanation: explain(current, added, as_of, breached || isLate),
    rows: added,
  };
}

/** remaining = remaining before − elapsed + moved, to the millisecond. */
function addUp(rows: Change[]): Row[] {
  return rows.map((row, index) => {
    const before = rows[index - 1] ?? row;
    return {
      ...row,
      elapsed_seconds: secondsBetween(before.at, row.at),
      moved_seconds: secondsBetween(before.due_at, row.due_at),
      remaining_seconds: secondsBetween(row.at, row.due_at),
    };
  });
}

function explain(current: Exception, rows: Row[], as_of: string, breached: boolean): string {
  const moves = rows.filter(({ kind }) => kind === "moved").length;
  const moved = moves === 0 ? "" : ` The deadline was moved ${moves === 1 ? "once" : `${moves} times`}.`;
  const breach = rows.findLast(({ kind, threshold_minutes }) => kind === "crossed" && threshold_minutes === 0);
  if (current.closed_at) {
    const left = secondsBetween(current.closed_at, current.due_at);
    const closed = `${current.status === "resolved" ? "Resolved" : "Dismissed"} ${duration(Math.abs(left))} ${left >= 0 ? "before" : "after"} its deadline.`;
    return closed + (breached && left >= 0 ? " An earlier deadline was passed." : "") + moved;
  }
  const left = secondsBetween(as_of, current.due_at);
  if (left <= 0) return `Open, and its deadline passed ${duration(-left)} ago.${moved}`;
  return `Open, with ${duration(left)} left.${breach ? " An earlier deadline was passed." : ""}${moved}`;
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1440
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}
