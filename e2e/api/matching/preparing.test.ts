import { Client } from "pg";
import { expect, test } from "vitest";
import { database, sql, superuserUrl } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Line } from "#lib/lines/contract.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { bookDifferences } from "./books.ts";
import { Fixture } from "./matching-fixture.ts";

const SLOW = 300_000;

type Sides = { left_source_id: string; right_source_id: string };

/** Adds two sources with these numbers of lines to the fixture. */
async function sidesOf(
  fixture: Fixture,
  counts: { left: number; right: number; sign?: string },
): Promise<Sides> {
  const left_source_id = (await fixture.source("Large")).id;
  const right_source_id = (await fixture.source("Other", { sign: counts.sign ?? "as_is" })).id;
  await fixture.fill({ [left_source_id]: counts.left, [right_source_id]: counts.right });
  return { left_source_id, right_source_id };
}

/**
 * Does `work` as if lines were arriving: their source can't be locked exclusively until its end.
 */
async function whileLinesArrive<Result>(
  { tenant }: Fixture,
  source: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const connection = await database.connect();
  try {
    await connection.query("begin");
    await connection.query(
      `select private.lock_source(s.tenant_id, s.source_no) from public.sources s
       where s.tenant_id = $1 and s.id = $2`,
      [tenant, source],
    );
    return await work();
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}

const openOf = (fixture: Fixture, period: string) =>
  sql(
    `select side, count(*)::integer as lines, sum(open_minor)::text as open,
       bool_and(open_minor = amount_minor) as whole from private.open_lines o
     join public.reconciliations r on r.tenant_id = o.tenant_id and r.pair_no = o.pair_no
     where r.tenant_id = $1 and r.id = $2 group by 1 order by 1`,
    [fixture.tenant, period],
  );

async function cursorOf(fixture: Fixture, period: string): Promise<{ source_no?: number } | null> {
  const [row] = await sql<{ opening: { source_no?: number } | null }>(
    `select p.opening from public.pairs p
     join public.reconciliations r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no
     where r.tenant_id = $1 and r.id = $2`,
    [fixture.tenant, period],
  );
  return row?.opening ?? null;
}

test(
  "creating a reconciliation of many lines returns before they are opened; until then its proof doesn't hold, runs wait and decisions are refused",
  async () => {
    const fixture = await Fixture.create();
    const sides = await sidesOf(fixture, { left: 3_500, right: 3_500 });
    const { period, run } = await whileLinesArrive(fixture, sides.left_source_id, async () => {
      const { id: period, ...made } = await fixture.bind(sides);
      expect(made).toMatchObject({ preparing: true, matched_count: 0, unmatched_count: 0 });
      const rules = [{ name: "Same", kind: "exact", on: ["reference"], then: "match" }];
      await fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules } });
      const run = await fixture.ok<Run>("POST", `reconciliations/${period}/runs`, { body: {} });
      expect(await fixture.reconciliation(period)).toMatchObject({ preparing: true });
      expect((await fixture.proof(period)).holds).toBe(false);
      expect(
        (await fixture.ok<Statement>("GET", `reconciliations/${period}/statement`)).proof.holds,
      ).toBe(false);
      expect(await bookDifferences(fixture.tenant)).toEqual([]);

      const listed = async (source_id: string, query: object = {}) =>
        (
          await fixture.ok<{ items: Line[] }>("GET", "lines", {
            query: { source_id, limit: "2", ...query },
          })
        ).items;
      const [left, right] = [
        await listed(sides.left_source_id),
        await listed(sides.right_source_id),
      ];
      expect(left).toMatchObject([{ state: "open" }, { state: "open" }]);
      expect(await listed(sides.left_source_id, { state: "matched" })).toEqual([]);
      expect(await listed(sides.left_source_id, { state: "open" })).toHaveLength(2);
      const refused = [
        await fixture.call("POST", `reconciliations/${period}/close`),
        await fixture.call("POST", `reconciliations/${period}/matches`, {
          body: { line_ids: [left[0]?.id, right[0]?.id] },
        }),
        await fixture.call("POST", `lines/${left[0]?.id}/exclude`, {
          body: { reason: "Too early", reconciliation_id: period },
        }),
      ];
      for (const answer of refused) {
        expectProblem(answer, "conflict");
        expect(answer.text).toContain("preparing");
      }
      expect(await fixture.ok<Run>("GET", `runs/${run.id}`)).toMatchObject({ status: "queued" });
      return { period, run };
    });
    await fixture.prepared(period);
    expect(await fixture.ended(run)).toMatchObject({ status: "done", open_count: 0 });
    expect(await fixture.reconciliation(period)).toMatchObject({
      preparing: false,
      matched_count: 7_000,
      unmatched_count: 0,
    });
    expect((await fixture.proof(period)).holds).toBe(true);
    expect(await bookDifferences(fixture.tenant)).toEqual([]);
    expect(await fixture.ok("POST", `reconciliations/${period}/close`)).toMatchObject({
      status: "completed",
      preparing: false,
    });
  },
  SLOW,
);

test(
  "the first period of two sources compares all earlier lines, in any number of steps",
  async () => {
    const fixture = await Fixture.create();
    const { id, preparing } = await fixture.bind(
      await sidesOf(fixture, { left: 60_000, right: 25_000, sign: "inverted" }),
    );
    expect(preparing).toBe(true);
    expect((await fixture.prepared(id)).unmatched_count).toBe(85_000);
    expect(await openOf(fixture, id)).toEqual([
      { side: "left", lines: 60_000, open: "1800030000", whole: true },
      { side: "right", lines: 25_000, open: "-312512500", whole: true },
    ]);
  },
  SLOW,
);

test(
  "a few lines are opened at once, and so are those of the next period of their sources",
  async () => {
    const fixture = await Fixture.create();
    const sides = await sidesOf(fixture, { left: 900, right: 900 });
    expect(await fixture.bind(sides)).toMatchObject({ preparing: false, unmatched_count: 1_800 });
    const next = { period_start: "2026-11-01", period_end: "2026-11-30" };
    const arriving = await whileLinesArrive(fixture, sides.left_source_id, () =>
      fixture.bind({ ...sides, ...next }),
    );
    expect(arriving).toMatchObject({ preparing: false, unmatched_count: 1_800 });
  },
  SLOW,
);

test(
  "a killed step is repeated after the saved steps",
  async () => {
    const fixture = await Fixture.create();
    const sides = await sidesOf(fixture, { left: 30_000, right: 10 });
    const blocking = await database.connect();
    const superuser = new Client(superuserUrl());
    await superuser.connect();
    try {
      const period = await whileLinesArrive(fixture, sides.left_source_id, async () => {
        const { id } = await fixture.bind(sides);
        await blocking.query("begin");
        // The last line belongs to the second step, which waits for the transaction that opens it.
        await blocking.query(
          `insert into private.open_lines (tenant_id, pair_no, line_no, side, currency,
             amount_minor, open_minor, value_date)
           select l.tenant_id, r.pair_no, l.line_no, 'left', l.currency, l.amount_minor,
             l.amount_minor, l.value_date
           from public.reconciliations r
           join public.sources s on s.tenant_id = r.tenant_id and s.id = r.left_source_id
           join public.lines l on l.tenant_id = s.tenant_id and l.source_no = s.source_no
           where r.tenant_id = $1 and r.id = $2 order by l.value_date desc, l.line_no desc limit 1`,
          [fixture.tenant, id],
        );
        expect(await cursorOf(fixture, id)).toEqual({});
        return id;
      });
      const [self] = (await blocking.query<{ pid: number }>("select pg_backend_pid() as pid")).rows;
      const waiting = await until("the second step waits", async () => {
        const { rows } = await superuser.query<{ pid: number }>(
          "select a.pid from pg_stat_activity a where $1::integer = any (pg_blocking_pids(a.pid))",
          [self?.pid],
        );
        return rows[0]?.pid;
      });
      const savedCursor = await cursorOf(fixture, period);
      expect(savedCursor).toMatchObject({ source_no: expect.any(Number) });
      expect(await openOf(fixture, period)).toMatchObject([{ side: "left", lines: 25_000 }]);
      await superuser.query("select pg_terminate_backend($1)", [waiting]);
      await until("the step is gone", async () => {
        const { rows } = await superuser.query("select from pg_stat_activity where pid = $1", [
          waiting,
        ]);
        return rows.length === 0;
      });
      expect(await cursorOf(fixture, period)).toEqual(savedCursor);
      await blocking.query("rollback");
      expect((await fixture.prepared(period)).unmatched_count).toBe(30_010);
      expect(await openOf(fixture, period)).toEqual([
        { side: "left", lines: 30_000, open: "450015000", whole: true },
        { side: "right", lines: 10, open: "55", whole: true },
      ]);
      expect(await bookDifferences(fixture.tenant)).toEqual([]);
    } finally {
      await blocking.query("rollback");
      blocking.release();
      await superuser.end();
    }
  },
  SLOW,
);
