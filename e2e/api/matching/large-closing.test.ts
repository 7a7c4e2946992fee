import type { PoolClient } from "pg";
import { Client } from "pg";
import { expect, test } from "vitest";
import { database, sql, superuserUrl } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { bookDifferences } from "./books.ts";
import { Fixture, line, RUN_TIMEOUT_MS } from "./matching-fixture.ts";

const SLOW = 300_000;
const RULES = [
  { name: "Same", kind: "exact", on: ["reference"], then: "match" },
  {
    name: "Near",
    kind: "tolerance",
    on: ["reference"],
    amount_tolerance_minor: 100,
    then: "suggest",
  },
];
const COUNTS = { left: 10_100, right: 10_000 };

type Large = { fixture: Fixture; period: string; left: string; right: string };

/**
 * A period with too many lines to close during a call: 10,000 matched on each side, 100 open and 1
 * suggested.
 */
async function largePeriod(): Promise<Large> {
  const fixture = await Fixture.create();
  const left = (await fixture.source("Large")).id;
  const right = (await fixture.source("Other")).id;
  await fixture.fill({ [left]: COUNTS.left, [right]: COUNTS.right });
  for (const [source, count] of [
    [left, COUNTS.left],
    [right, COUNTS.right],
  ])
    await sql("update public.sources set line_count = $3 where tenant_id = $1 and id = $2", [
      fixture.tenant,
      source,
      count,
    ]);
  const { id: period } = await fixture.bind({ left_source_id: left, right_source_id: right });
  await fixture.prepared(period);
  await addTo(fixture, left, 5_000_000, "NEAR-1");
  await addTo(fixture, right, 5_000_001, "NEAR-1");
  await fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules: RULES } });
  expect(await fixture.run(period)).toMatchObject({ status: "done", suggested_count: 1 });
  return { fixture, period, left, right };
}

async function addTo(
  fixture: Fixture,
  source: string,
  amount_minor: number,
  reference: string,
): Promise<string> {
  const body = { lines: [line(reference, amount_minor, { reference })] };
  const { items } = await fixture.ok<{ items: { id: string }[] }>(
    "POST",
    `sources/${source}/lines`,
    { body },
  );
  return items[0]?.id as string;
}

function ended({ fixture, period }: Large): Promise<Reconciliation> {
  return until(
    "the closing has ended",
    async () => {
      const found = await fixture.reconciliation(period);
      return !found.closing && found;
    },
    RUN_TIMEOUT_MS,
  );
}

/**
 * Carries a line of the period in an uncommitted transaction, for which closing the period then
 * waits in the middle of its work.
 */
async function carryUncommitted(
  { fixture, period }: Large,
  connection: PoolClient,
): Promise<number> {
  await connection.query("begin");
  await connection.query(
    `insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
       currency, value_date)
     select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date
     from public.reconciliations r join private.open_lines o on o.tenant_id = r.tenant_id
       and o.pair_no = r.pair_no
     where r.tenant_id = $1 and r.id = $2 order by o.line_no desc limit 1`,
    [fixture.tenant, period],
  );
  return (await connection.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]
    ?.pid as number;
}

const waitingFor = (superuser: Client, pid: number, except?: number) =>
  until("a matcher waits while it closes the period", async () => {
    const { rows } = await superuser.query<{ pid: number }>(
      `select a.pid from pg_stat_activity a where $1::integer = any (pg_blocking_pids(a.pid))
         and a.pid is distinct from $2`,
      [pid, except],
    );
    return rows[0]?.pid;
  });

test(
  "a large period closes in the background atomically, and is open but locked until then, even after crashes",
  async () => {
    const large = await largePeriod();
    const { fixture, period, left, right } = large;
    const path = `reconciliations/${period}`;
    const blocking = await database.connect();
    const superuser = new Client(superuserUrl());
    await superuser.connect();
    try {
      await fixture.ok("PUT", `${path}/entry-rules`, {
        body: { rules: { carried_left: { account: "1", counter_account: "2", text: "Open" } } },
      });
      await fixture.ok("POST", `sources/${left}/balances`, {
        body: { day: "2026-09-30", amount: "0.00", reason: "Opening" },
      });
      await fixture.ok("POST", `${path}/prepare`, { body: {} });
      const pid = await carryUncommitted(large, blocking);
      expect(await fixture.ok("POST", `${path}/close`)).toMatchObject({
        closing: true,
        closed_at: null,
        status: "open",
        unmatched_count: 102,
      });
      const first = await waitingFor(superuser, pid);

      const open = (
        await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
          query: { source_id: left, state: "open", limit: "1" },
        })
      ).items[0]?.id;
      const [suggested] = await fixture.matches({ state: "suggested" }, period);
      const [matched] = await fixture.matches({ state: "confirmed", limit: "1" }, period);
      const reason = { reason: "Too late", reconciliation_id: period };
      const earlier = {
        period_start: "2026-09-01",
        period_end: "2026-09-30",
        left_source_id: left,
        right_source_id: right,
      };
      const refused = [
        await fixture.call("POST", `${path}/close`),
        await fixture.call("POST", `${path}/runs`, { body: {} }),
        await fixture.call("PATCH", path, { body: { name: "Another" } }),
        await fixture.call("PATCH", path, { body: { status: "archived" } }),
        await fixture.call("POST", `matches/${suggested?.id}/confirm`),
        await fixture.call("POST", `matches/${matched?.id}/undo`),
        await fixture.call("POST", `lines/${open}/exclude`, { body: reason }),
        await fixture.call("POST", "reconciliations", { body: { name: "Earlier", ...earlier } }),
        await fixture.call("POST", `sources/${left}/balances`, {
          body: { day: "2026-10-31", amount: "1.00", reason: "Too late" },
        }),
      ];
      for (const answer of refused) {
        expectProblem(answer, "conflict");
        expect(answer.text).toContain("closing");
      }
      const batches = () => fixture.ok<{ items: object[] }>("GET", "entry-batches");
      expect(await batches()).toMatchObject({ items: [] });
      expect(await fixture.ok<Statement>("GET", `${path}/statement`)).toMatchObject({
        closed_at: null,
      });

      await superuser.query("select pg_terminate_backend($1)", [first]);
      await waitingFor(superuser, pid, first);
      // Added after the closing began, so it revokes no signature of the period.
      const late = await addTo(fixture, left, 77, "LATE-1");
      await blocking.query("rollback");
      expect(await ended(large)).toMatchObject({
        status: "completed",
        closed_by: "user:ada",
        unmatched_count: 102,
        closing_failure: null,
      });
      expect(await fixture.ok<Statement>("GET", `${path}/statement`)).toMatchObject({
        outstanding_count: 102,
        closed_by: "user:ada",
      });
      expect(await fixture.ok("GET", `${path}/statements/1`)).toMatchObject({
        signatures: [{ kind: "prepared", signed_by: "user:ada" }],
      });
      expect(await fixture.proof(period)).toMatchObject({ holds: true, closing: { holds: true } });
      expect(await batches()).toMatchObject({ items: [{ number: "2026-0001", entry_count: 101 }] });
      expect(await fixture.matches({ state: "suggested" }, period)).toEqual([]);
      expect((await fixture.line(late)).state).toBe("open");
      expect(await bookDifferences(fixture.tenant)).toEqual([]);
      const events = await sql(
        `select actor, operation from public.security_events where tenant_id = $1
           and type = 'reconciliation.closed'`,
        [fixture.tenant],
      );
      expect(events).toEqual([{ actor: "user:ada", operation: "closeReconciliation" }]);
      const reopened = await until(
        "what was signed is copied",
        async () => {
          const body = { reason: "Once more" };
          const answer = await fixture.call("POST", `${path}/reopen`, { body });
          if (answer.status !== 200) expectProblem(answer, "conflict");
          return answer.status === 200 && answer;
        },
        RUN_TIMEOUT_MS,
      );
      expect(reopened.json).toMatchObject({ status: "in_progress", unmatched_count: 103 });
    } finally {
      await blocking.query("rollback");
      blocking.release();
      await superuser.end();
    }
  },
  SLOW,
);

test(
  "a blocked close of a large period leaves it open with the reason, and succeeds later",
  async () => {
    const large = await largePeriod();
    const { fixture, period } = large;
    const tamper = (by: number) =>
      sql(
        `update private.open_lines o set amount_minor = amount_minor + $3,
           open_minor = open_minor + $3 from public.reconciliations r
         where r.tenant_id = $1 and r.id = $2 and o.tenant_id = r.tenant_id
           and o.pair_no = r.pair_no
           and o.amount_minor between 4999000 and 5000000`,
        [fixture.tenant, period, by],
      );
    await tamper(-1);
    expect(await fixture.ok("POST", `reconciliations/${period}/close`)).toMatchObject({
      closing: true,
    });
    const open = await ended(large);
    expect(open).toMatchObject({
      status: "open",
      closed_at: null,
      closing_failure: expect.stringContaining("The proof does not hold"),
    });
    expect(await fixture.matches({ state: "suggested" }, period)).toHaveLength(1);
    await tamper(1);

    // As if the matcher had died at every attempt.
    await sql(
      `update private.closing_requests set failure = null, asked_at = now() - interval '2 hours'
       where tenant_id = $1`,
      [fixture.tenant],
    );
    await sql("select private.end_abandoned_closings('Given up')");
    expect(await fixture.reconciliation(period)).toMatchObject({
      closing: false,
      closing_failure: expect.any(String),
    });

    expect(await fixture.ok("POST", `reconciliations/${period}/close`)).toMatchObject({
      closing: true,
      closing_failure: null,
    });
    expect(await ended(large)).toMatchObject({
      status: "completed",
      closing_failure: null,
      unmatched_count: 102,
    });
    expect(await bookDifferences(fixture.tenant)).toEqual([]);
  },
  SLOW,
);

test(
  "a close whose signatures are revoked before it is complete leaves the period open with the reason",
  async () => {
    const { fixture, period } = await largePeriod();
    const path = `reconciliations/${period}`;
    await fixture.ok("PUT", `${path}/rules`, { body: { rules: RULES, review_levels: 1 } });
    // New rules queue a run, and a period can't be closed during a run.
    await fixture.run(period);
    await fixture.ok("POST", `${path}/prepare`, { body: {} });
    const bearer = await fixture.as(["tenant_lead"], "lea");
    await fixture.ok("POST", `${path}/review`, { body: {}, bearer });
    const connection = await database.connect();
    const large = { fixture, period, left: "", right: "" };
    try {
      await carryUncommitted(large, connection);
      await fixture.ok("POST", `${path}/close`);
      await sql("select private.revoke_signatures($1, array[$2], 'Lines arrived.')", [
        fixture.tenant,
        period,
      ]);
    } finally {
      await connection.query("rollback");
      connection.release();
    }
    expect(await ended(large)).toMatchObject({
      closed_at: null,
      closing_failure: expect.stringContaining("The signatures were revoked: Lines arrived."),
    });
  },
  SLOW,
);

test("a close is abandoned one hour after its job disappeared, and no sooner", async () => {
  const fixture = await Fixture.create();
  const { tenant, period } = fixture;
  await sql(
    `insert into private.closing_requests (tenant_id, reconciliation_id, pair_no, asked_by)
     select tenant_id, id, pair_no, '{}' from public.reconciliations where tenant_id = $1
       and id = $2`,
    [tenant, period],
  );
  await sql("select private.end_abandoned_closings('Given up')");
  expect(await fixture.reconciliation(period)).toMatchObject({
    closing: true,
    closing_failure: null,
  });
  await sql(
    `update private.closing_requests set asked_at = now() - interval '61 minutes'
     where tenant_id = $1`,
    [tenant],
  );
  await sql("select private.end_abandoned_closings('Given up')");
  expect(await fixture.reconciliation(period)).toMatchObject({
    closing: false,
    closing_failure: expect.any(String),
  });
});
