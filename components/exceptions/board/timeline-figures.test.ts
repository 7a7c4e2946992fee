import { describe, expect, it } from "vitest";
import { type Row, roundRows, stripOf, ticksOf } from "./timeline-figures.ts";

const row = (
  worked: number,
  closed: number,
  paused: number,
  moved: number,
  remaining: number,
): Row => ({
  at: "2026-11-05T15:00:00.000Z",
  kind: "moved",
  due_at: "2026-11-06T15:00:00.000Z",
  threshold_minutes: null,
  threshold_kind: null,
  elapsed_seconds: worked + closed + paused,
  worked_seconds: worked,
  closed_seconds: closed,
  paused_seconds: paused,
  moved_seconds: moved,
  remaining_seconds: remaining,
  business_moved_seconds: null,
  business_remaining_seconds: null,
  actor: "system",
  actor_issuer: null,
  actor_subject: null,
  request_id: null,
});

describe("a ledger's rows", () => {
  it("still add up after they are rounded to seconds", () => {
    for (let seed = 1; seed < 200; seed++) {
      const part = (n: number) => ((seed * 7919 * n) % 100_000) / 1000;
      let remaining = part(1);
      const rows = Array.from({ length: 6 }, (_, n) => {
        const [worked, closed, moved] =
          n === 0 ? [0, 0, 0] : [part(n + 2), part(n + 9), part(n + 5) - 40];
        remaining = Math.round((remaining - worked - closed + moved) * 1000) / 1000;
        return row(worked, closed, 0, moved, remaining);
      });
      const shown = roundRows(rows);
      for (const [n, { elapsed, worked, closed, paused, moved, left }] of shown.entries()) {
        expect(worked + closed + paused).toBe(elapsed);
        expect(left).toBe(
          n === 0
            ? Math.round(rows[0]?.remaining_seconds ?? 0)
            : (shown[n - 1]?.left ?? 0) - elapsed + moved,
        );
        expect(Math.abs(elapsed - (rows[n]?.elapsed_seconds ?? 0))).toBeLessThan(2);
      }
    }
  });
});

describe("a strip", () => {
  it("reaches from the first segment to the last", () => {
    const strip = stripOf([
      {
        starts_at: "2026-11-05T12:00:00.000Z",
        ends_at: "2026-11-06T00:00:00.000Z",
        kind: "worked",
      },
      {
        starts_at: "2026-11-06T00:00:00.000Z",
        ends_at: "2026-11-07T12:00:00.000Z",
        kind: "closed",
      },
    ]);
    expect(strip?.share("2026-11-06T12:00:00.000Z")).toBe(0.5);
    expect(stripOf([])).toBeNull();
  });

  it("has ticks at midnight in the user's zone, or at full hours if it is short", () => {
    const day = (iso: string) => Date.parse(iso);
    const days = ticksOf(
      { start: day("2026-11-05T15:00:00Z"), end: day("2026-11-09T16:00:00Z") },
      "Europe/Berlin",
      6,
    );
    expect(days).toEqual(
      ["05", "06", "07", "08"].map((date) => ({
        iso: `2026-11-${date}T23:00:00.000Z`,
        label: `${Number(date) + 1} Nov`,
      })),
    );
    const hours = ticksOf(
      { start: day("2026-11-05T15:10:00Z"), end: day("2026-11-05T18:00:00Z") },
      "UTC",
      6,
    );
    expect(hours.map(({ label }) => label)).toEqual(["16:00", "17:00"]);
  });
});
