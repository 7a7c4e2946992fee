import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { Fixture, line, RUN_TIMEOUT_MS } from "./matching-fixture.ts";

test(
  "a new line with a unique reference is matched, and the next full run finds nothing else",
  async () => {
    const fixture = await Fixture.create();
    await fixture.ok("PATCH", `reconciliations/${fixture.period}`, { body: { auto_run: true } });
    const reference = (n: number) => line(`l${n}`, 1000 + n, { reference: `INV-${n}` });
    await fixture.add("left", [1, 2, 3, 4].map(reference));
    await fixture.add("right", [reference(1)]);
    await ended(fixture, 1);
    await fixture.add("right", [reference(2)]);
    const short = await ended(fixture, 2);
    expect(short).toMatchObject({ open_count: 2, changed: { added: 1, undone: 0 } });
    expect(await isFullRunDue(fixture)).toBe(true);
    const full = await fixture.run();
    expect(full).toMatchObject({
      digest: short.digest,
      waterfall: short.waterfall,
      open_count: short.open_count,
      suggested_count: short.suggested_count,
      changed: { added: 0, undone: 0 },
    });
    expect(await isFullRunDue(fixture)).toBe(false);
    expect(await fixture.proof()).toMatchObject({ holds: true });
  },
  RUN_TIMEOUT_MS,
);

test(
  "in a large pair a new line is weighed between full runs, and the next one finds nothing else",
  async () => {
    const fixture = await Fixture.create();
    const invoice = (n: number) =>
      line(`l${n}`, 10_000 + 791 * n, { reference: `RE-77${1000 + n}` });
    await fixture.add(
      "left",
      Array.from({ length: 60 }, (_, n) => invoice(n)),
    );
    await sql("update public.sources set line_count = 30000 where tenant_id = $1", [
      fixture.tenant,
    ]);
    expect(await fixture.run()).toMatchObject({ open_count: 60 });
    await fixture.ok("PATCH", `reconciliations/${fixture.period}`, { body: { auto_run: true } });
    const description = "Rechnung RE-771007";
    await fixture.add("right", [line("r7", 10_000 + 791 * 7, { description })]);
    const withNews = await ended(fixture, 1);
    expect(withNews).toMatchObject({ open_count: 59, changed: { added: 1, undone: 0 } });
    expect(await waitingRuns(fixture)).toBe(0);
    expect(await isFullRunDue(fixture)).toBe(true);
    const full = await fixture.run();
    expect(full).toMatchObject({
      digest: withNews.digest,
      waterfall: withNews.waterfall,
      suggested_count: withNews.suggested_count,
      changed: { added: 0, undone: 0 },
    });
    expect(await fixture.proof()).toMatchObject({ holds: true });
  },
  RUN_TIMEOUT_MS,
);

/** Waits until this many matches were confirmed, and all runs have ended. @returns the last run */
async function ended(fixture: Fixture, matches: number): Promise<Run> {
  return until(
    `${matches} matches`,
    async () => {
      const { items } = await fixture.ok<{ items: Run[] }>(
        "GET",
        `reconciliations/${fixture.period}/runs`,
      );
      const confirmed = await fixture.matches({ state: "confirmed" });
      return (
        confirmed.length === matches && items.every(({ status }) => status === "done") && items[0]
      );
    },
    RUN_TIMEOUT_MS,
  );
}

async function isFullRunDue({ tenant }: Fixture): Promise<boolean> {
  const rows = await sql("select from private.run_changes where tenant_id = $1", [tenant]);
  return rows.length > 0;
}

async function waitingRuns({ period }: Fixture): Promise<number> {
  const rows = await sql("select from graphile_worker.jobs where key = 'match:' || $1", [period]);
  return rows.length;
}
