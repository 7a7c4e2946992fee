import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Exception } from "../contract.ts";
import type { getExceptionLedgerContract } from "./contract.ts";

type Ledger = z.output<typeof getExceptionLedgerContract.response>;
type Row = Ledger["rows"][number];
type Counted = Extract<keyof Row, `${string}_seconds`>;
/**
 * A row with calendar times: `open_ms` is the open time since the row before; `due_moved_ms` is the
 * open time between that row's due_at and this one's, or null if the calendar changed.
 */
type Change = Omit<Row, Counted> & {
  open_ms: number | null;
  due_moved_ms: number | null;
  business_ms_left: number | null;
  open_spans: Span[] | null;
};
/**
 * `open_spans` are the calendar's open hours since the row before, or from the last row to `until`.
 * Null means round the clock.
 */
type Stored = {
  as_of: string;
  exception: Exception;
  rows: Change[];
  until: string | null;
  open_spans: Span[] | null;
};
type Span = { starts_at: string; ends_at: string };
type Segment = Ledger["segments"][number];

/** The ledger of one exception's clock, with an explanation in words. */
export async function getExceptionLedger(ctx: Context, id: string): Promise<Ledger> {
  const stored = await read<Stored>(ctx, "get_exception_ledger", { id });
  const { as_of, exception: current, rows } = stored;
  const summedRows = addUp(rows);
  const hasBreached = summedRows.some(
    ({ kind, threshold_minutes }) => kind === "crossed" && threshold_minutes === 0,
  );
  const isLate = current.closed_at === null && current.due_at <= as_of;
  return {
    exception_id: id,
    as_of,
    breached: hasBreached || isLate,
    explanation: explain(current, summedRows, as_of, hasBreached || isLate),
    rows: summedRows,
    segments: segmentsOf(stored),
  };
}

/**
 * The clock's segments between the rows and after the last one. Equal neighbours are merged, except
 * at `as_of`, which separates the past from the future.
 */
function segmentsOf({ as_of, rows, until, open_spans }: Stored): Segment[] {
  const segments: Segment[] = [];
  let isPaused = false;
  const add = (starts_at: string, ends_at: string, kind: Segment["kind"]) => {
    const lastSegment = segments.at(-1);
    if (starts_at >= ends_at) return;
    if (lastSegment?.kind === kind && lastSegment.ends_at === starts_at && starts_at !== as_of)
      lastSegment.ends_at = ends_at;
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
    const previous = rows[index - 1];
    if (previous) run(previous.at, row.at, row.open_spans);
    if (row.kind === "paused") isPaused = true;
    if (row.kind === "resumed") isPaused = false;
  }
  const lastSegment = rows.at(-1);
  if (lastSegment && until !== null && until > lastSegment.at) {
    run(lastSegment.at, as_of < until ? as_of : until, open_spans);
    isPaused = false;
    if (as_of < until) run(as_of, until, open_spans);
  }
  return segments;
}

/**
 * The part of a span between two times, or nothing if they don't overlap. Times in the same format
 * sort as text.
 */
function between({ starts_at, ends_at }: Span, from: string, to: string): Span[] {
  const part = {
    starts_at: starts_at > from ? starts_at : from,
    ends_at: ends_at < to ? ends_at : to,
  };
  return part.starts_at < part.ends_at ? [part] : [];
}

/**
 * Adds up both clocks to the millisecond: remaining = remaining before − elapsed + moved. Only
 * worked time reduces business time; a pause moves the wall-clock deadline by its duration and
 * doesn't change business time.
 */
function addUp(changes: Change[]): Row[] {
  let isPaused = false;
  return changes.map(
    ({ open_ms, due_moved_ms, business_ms_left, open_spans: _, ...change }, index) => {
      const previous = changes[index - 1];
      const elapsed = secondsBetween(previous?.at ?? change.at, change.at);
      const worked = isPaused ? 0 : (open_ms ?? elapsed * 1000) / 1000;
      const paused = isPaused ? elapsed : 0;
      if (change.kind === "paused") isPaused = true;
      if (change.kind === "resumed") isPaused = false;
      const remaining = business_ms_left === null ? null : business_ms_left / 1000;
      /** After a change of calendar, the remaining time is computed with the new one. */
      const businessMoved = () => {
        if (!previous) return 0;
        if (due_moved_ms === null)
          return exact((remaining ?? 0) - (previous.business_ms_left ?? 0) / 1000 + worked);
        return (due_moved_ms - (change.kind === "resumed" ? (open_ms ?? 0) : 0)) / 1000;
      };
      return {
        ...change,
        elapsed_seconds: elapsed,
        worked_seconds: worked,
        closed_seconds: exact(elapsed - worked - paused),
        paused_seconds: paused,
        moved_seconds: secondsBetween(previous?.due_at ?? change.due_at, change.due_at),
        remaining_seconds: secondsBetween(change.at, change.due_at),
        business_moved_seconds: remaining === null ? null : businessMoved(),
        business_remaining_seconds: remaining,
      };
    },
  );
}

/** Rounds to whole milliseconds. */
function exact(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function explain(current: Exception, rows: Row[], as_of: string, hasBreached: boolean): string {
  const moves = rows.filter(({ kind }) => kind === "moved").length;
  const moved =
    moves === 0 ? "" : ` The deadline was moved ${moves === 1 ? "once" : `${moves} times`}.`;
  const breach = rows.findLast(
    ({ kind, threshold_minutes }) => kind === "crossed" && threshold_minutes === 0,
  );
  if (current.closed_at) {
    const remaining = secondsBetween(current.closed_at, current.due_at);
    const closed = `${current.status === "resolved" ? "Resolved" : "Dismissed"} ${duration(Math.abs(remaining))} ${remaining >= 0 ? "before" : "after"} its deadline.`;
    return (
      closed + (hasBreached && remaining >= 0 ? " An earlier deadline was passed." : "") + moved
    );
  }
  const remaining = secondsBetween(as_of, current.due_at);
  if (remaining <= 0) return `Open, and its deadline passed ${duration(-remaining)} ago.${moved}`;
  return `Open, with ${duration(remaining)} left.${breach ? " An earlier deadline was passed." : ""}${moved}`;
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
