import type { z } from "zod";
import type { getExceptionLedgerContract, timelineRow } from "#lib/exceptions/sla/contract.ts";

type Ledger = z.output<typeof getExceptionLedgerContract.response>;
export type Row = z.output<typeof timelineRow>;
export type Segment = Ledger["segments"][number];

/**
 * A row in whole seconds, which adds up as shown: left = left before − elapsed + moved, and elapsed
 * is the sum of its three parts.
 */
export type RoundedRow = {
  elapsed: number;
  worked: number;
  closed: number;
  paused: number;
  moved: number;
  left: number;
  businessLeft: number | null;
};

/**
 * Rounds a ledger's milliseconds so that the shown seconds still add up; each is off by less than a
 * second.
 */
export function roundRows(rows: readonly Row[]): RoundedRow[] {
  const rounded: RoundedRow[] = [];
  for (const row of rows) {
    const before = rounded.at(-1);
    // Math.round returns -0 for a small negative number.
    const left = Math.round(row.remaining_seconds) + 0;
    const moved = Math.round(row.moved_seconds) + 0;
    const elapsed = before ? before.left + moved - left : 0;
    const [worked = 0, closed = 0, paused = 0] = partsOf(elapsed, [
      row.worked_seconds,
      row.closed_seconds,
      row.paused_seconds,
    ]);
    const businessLeft =
      row.business_remaining_seconds === null ? null : Math.round(row.business_remaining_seconds);
    rounded.push({ elapsed, worked, closed, paused, moved, left, businessLeft });
  }
  return rounded;
}

/** Rounds numbers so that they add up to `total`: the difference goes to the largest. */
function partsOf(total: number, parts: readonly number[]): number[] {
  const rounded = parts.map(Math.round);
  const over = total - rounded.reduce((sum, part) => sum + part, 0);
  const largest = parts.indexOf(Math.max(...parts));
  return rounded.map((part, index) => (index === largest ? part + over : part));
}

/**
 * The positions of segments on a strip from the first start to the last end, as shares of its
 * length.
 */
export function stripOf(
  segments: readonly Segment[],
): { start: number; end: number; share: (iso: string) => number } | null {
  const start = Date.parse(segments[0]?.starts_at ?? "");
  const end = Date.parse(segments.at(-1)?.ends_at ?? "");
  if (!(end > start)) return null;
  return {
    start,
    end,
    share: (iso) => Math.min(1, Math.max(0, (Date.parse(iso) - start) / (end - start))),
  };
}

const HOUR_MS = 3_600_000;
const STEPS_HOURS = [1, 3, 6, 12, 24, 48, 168, 336, 672, 2184] as const;

/**
 * The times to mark on a strip, at most `max`: midnights of the zone for days and weeks, whole
 * hours for less.
 */
export function ticksOf(
  { start, end }: { start: number; end: number },
  timeZone: string,
  max: number,
): { iso: string; label: string }[] {
  const step =
    (STEPS_HOURS.find((hours) => (end - start) / (hours * HOUR_MS) <= max) ?? 8760) * HOUR_MS;
  const inZone = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const ticks: { iso: string; label: string }[] = [];
  for (let at = firstTick(start, step, timeZone); at < end; at += step) {
    const part = Object.fromEntries(
      inZone.formatToParts(at).map(({ type, value }) => [type, value]),
    );
    const label =
      step < 24 * HOUR_MS && part.hour !== "00"
        ? `${part.hour}:${part.minute}`
        : `${part.day} ${part.month}`;
    ticks.push({ iso: new Date(at).toISOString(), label });
  }
  return ticks;
}

/** The next multiple of the step after `start`, by the local clock of the time zone. */
function firstTick(start: number, step: number, timeZone: string): number {
  const local = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(start);
  const offset = Date.parse(`${local.replace(" ", "T")}Z`) - Math.floor(start / 1000) * 1000;
  const unit = Math.min(step, 24 * HOUR_MS);
  return Math.ceil((start + offset) / unit) * unit - offset;
}
