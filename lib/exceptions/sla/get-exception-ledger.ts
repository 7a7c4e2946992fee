import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Exception } from "../contract.ts";
import type { getExceptionLedgerContract } from "./contract.ts";

type Ledger = z.output<typeof getExceptionLedgerContract.response>;
type Row = Ledger["rows"][number];
type Counted = Extract<keyof Row, `${string}_seconds`>;
/** By the calendar: `open_ms` is of the time since the row before, `due_moved_ms` of the time from its due_at to this one (null: another calendar). */
type Change = Omit<Row, Counted> & {
  open_ms: number | null;
  due_moved_ms: number | null;
  business_ms_left: number | null;
  open_spans: Span[] | null;
};
/** `open_spans`: when the calendar is open, since the row before, or from the last row to `until`. Null: round the clock. */
type Stored = {
  as_of: string;
  exception: Exception;
  rows: Change[];
  until: string | null;
  open_spans: Span[] | null;
};
type Span = { starts_at: string; ends_at: string };
type Segment = Ledger["segments"][number];

/** The ledger of one exception's clock, and in words what came of it. */
export async function getExceptionLedger(ctx: Context, id: string): Promise<Ledger> {
  const stored = await read<Stored>(ctx, "get_exception_ledger", { id });
  const { as_of, exception: current, rows } = stored;
  const added = addUp(rows);
  const breached = added.some(
    ({ kind, threshold_minutes }) => kind === "crossed" && threshold_minutes === 0,
  );
  const isLate = current.closed_at === null && current.due_at <= as_of;
  return {
    exception_id: id,
    as_of,
    breached: breached || isLate,
    explanation: explain(current, added, as_of, breached || isLate),
    rows: added,
    segments: segmentsOf(stored),
  };
}

/** What the clock did from row to row, and will do from the last one on. Neighbours of one kind are one, but for now: it parts what was from what will be. */
function segmentsOf({ as_of, rows, until, open_spans }: Stored): Segment[] {
  const segments: Segment[] = [];
  let isPaused = false;
  const add = (starts_at: string, ends_at: string, kind: Segment["kind"]) => {
    const last = segments.at(-1);
    if (starts_at >= ends_at) return;
    if (last?.kind === kind && last.ends_at === starts_at && starts_at !== as_of)
      last.ends_at = ends_at;
    else segments.push({ starts_at, ends_at, kind });
  };
  const run = (from: string, to: string, open: Span[] | null) => {
    if (isPaused || open === null) return add(from, to, isPaused ? "paused" : "worked");
    let at = from;
    for (const { starts_at, ends_at } of open.flatMap((span) => between(span, from, to))) {
      add(at, starts_at, "closed");
      add(starts_at, ends_at, "worked");
      at = ends_at;
    }
    add(at, to, "closed");
  };
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (before) run(before.at, row.at, row.open_spans);
    if (row.kind === "paused") isPaused = true;
    if (row.kind === "resumed") isPaused = false;
  }
  const last = rows.at(-1);
  if (last && until !== null && until > last.at) {
    run(last.at, as_of < until ? as_of : until, open_spans);
    isPaused = false;
    if (as_of < until) run(as_of, until, open_spans);
  }
  return segments;
}

/** The part of a span within two moments; none where they don't meet. Times of one form sort as text. */
function between({ starts_at, ends_at }: Span, from: string, to: string): Span[] {
  const part = {
    starts_at: starts_at > from ? starts_at : from,
    ends_at: ends_at < to ? ends_at : to,
  };
  return part.starts_at < part.ends_at ? [part] : [];
}

/**
 * By each clock, to the millisecond: remaining = remaining before − elapsed + moved. Of business time only what was worked elapses; a pause moves the
 * deadline on the wall as far as it lasts, and takes or gives no business time.
 */
function addUp(changes: Change[]): Row[] {
  let isPaused = false;
  return changes.map(
    ({ open_ms, due_moved_ms, business_ms_left, open_spans: _, ...change }, index) => {
      const before = changes[index - 1];
      const elapsed = secondsBetween(before?.at ?? change.at, change.at);
      const worked = isPaused ? 0 : (open_ms ?? elapsed * 1000) / 1000;
      const paused = isPaused ? elapsed : 0;
      if (change.kind === "paused") isPaused = true;
      if (change.kind === "resumed") isPaused = false;
      const left = business_ms_left === null ? null : business_ms_left / 1000;
      /** By a different calendar, the remaining time is counted again. */
      const businessMoved = () => {
        if (!before) return 0;
        if (due_moved_ms === null)
          return exact((left ?? 0) - (before.business_ms_left ?? 0) / 1000 + worked);
        return (due_moved_ms - (change.kind === "resumed" ? (open_ms ?? 0) : 0)) / 1000;
      };
      return {
        ...change,
        elapsed_seconds: elapsed,
        worked_seconds: worked,
        closed_seconds: exact(elapsed - worked - paused),
        paused_seconds: paused,
        moved_seconds: secondsBetween(before?.due_at ?? change.due_at, change.due_at),
        remaining_seconds: secondsBetween(change.at, change.due_at),
        business_moved_seconds: left === null ? null : businessMoved(),
        business_remaining_seconds: left,
      };
    },
  );
}

/** Milliseconds are whole. */
function exact(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function explain(current: Exception, rows: Row[], as_of: string, breached: boolean): string {
  const moves = rows.filter(({ kind }) => kind === "moved").length;
  const moved =
    moves === 0 ? "" : ` The deadline was moved ${moves === 1 ? "once" : `${moves} times`}.`;
  const breach = rows.findLast(
    ({ kind, threshold_minutes }) => kind === "crossed" && threshold_minutes === 0,
  );
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
