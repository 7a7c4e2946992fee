import { expect } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Calendar } from "#lib/calendars/contract.ts";
import { tenantWithLead } from "./exceptions.ts";

export const POLICY = {
  minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
  at_risk_thresholds: [240, 60],
};
export const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => ({
  day,
  from: "09:00",
  to: "17:00",
}));
export const OFFICE = { name: "Office", time_zone: "Europe/Berlin", weekly: WEEK };
export const ALWAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
].map((day) => ({
  day,
  from: "00:00",
  to: "24:00",
}));

/** A tenant whose policy uses a calendar. */
export async function tenantWithCalendar(hours: object = OFFICE) {
  const fixture = await tenantWithLead();
  const calendar = (await fixture.call("POST", "/v1/calendars", { ...OFFICE, ...hours }))
    .json as Calendar;
  const policy = async (change: object) => {
    const answer = await fixture.call("PUT", "/v1/sla-policy", { ...POLICY, ...change });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as { impact: Record<string, number> };
  };
  await policy({ calendar_id: calendar.id });
  /** The deadline this many business minutes after the moment of creation. */
  const deadlineFrom = async (created: string, minutes: number): Promise<string | undefined> => {
    const [row] = await sql<{ at: Date }>(
      `select private.moment_at(v.tenant_id, v.calendar_no,
         private.open_ms(v.tenant_id, v.calendar_no, $2) + $3::bigint * 60000) as at
       from public.calendar_versions v where v.tenant_id = $1 order by v.calendar_no desc limit 1`,
      [fixture.tenant, created, minutes],
    );
    return row?.at.toISOString();
  };
  const ledger = async (id: string) =>
    ((await fixture.call("GET", `/v1/exceptions/${id}/ledger`)).json as { rows: Row[] }).rows;
  return { ...fixture, calendar, policy, deadlineFrom, ledger };
}

/**
 * A function that returns moments in Berlin, relative to the start of a week: of the week after
 * next, or of the one that begins with `monday`.
 */
export async function weekInBerlin(monday?: string): Promise<(after: string) => Promise<string>> {
  const [week] = await sql<{ begins: string }>(
    `select coalesce($1::timestamp,
       date_trunc('week', now() at time zone 'Europe/Berlin')
       + interval '14 days')::text as begins`,
    [monday ?? null],
  );
  return async (after) => {
    const [row] = await sql<{ at: string }>(
      "select private.iso(($1::timestamp + $2::interval) at time zone 'Europe/Berlin') as at",
      [week?.begins, after],
    );
    return row?.at ?? "";
  };
}

/** The Monday of the week that ends with the change to summer time, next year. */
export function mondayBeforeSummerTime(): string {
  const lastOfMarch = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 2, 31));
  const toMonday = lastOfMarch.getUTCDay() + 6;
  return new Date(lastOfMarch.getTime() - toMonday * 86_400_000).toISOString().slice(0, 10);
}

export type Segment = { starts_at: string; ends_at: string; kind: "worked" | "closed" | "paused" };
export type Row = {
  kind: string;
  elapsed_seconds: number;
  worked_seconds: number;
  closed_seconds: number;
  paused_seconds: number;
  moved_seconds: number;
  remaining_seconds: number;
  business_moved_seconds: number | null;
  business_remaining_seconds: number | null;
};

/** Seconds in milliseconds, rounded. */
export const ms = (seconds: number | null) => Math.round((seconds ?? Number.NaN) * 1000);

export function expectToAddUp(rows: Row[]): void {
  for (const [index, row] of rows.entries()) {
    expect(ms(row.worked_seconds) + ms(row.closed_seconds) + ms(row.paused_seconds)).toBe(
      ms(row.elapsed_seconds),
    );
    const before = rows[index - 1];
    if (!before) continue;
    expect(ms(row.remaining_seconds)).toBe(
      ms(before.remaining_seconds) - ms(row.elapsed_seconds) + ms(row.moved_seconds),
    );
    expect(ms(row.business_remaining_seconds)).toBe(
      ms(before.business_remaining_seconds) -
        ms(row.worked_seconds) +
        ms(row.business_moved_seconds),
    );
  }
}
