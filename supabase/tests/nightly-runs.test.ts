import { expect, test } from "vitest";
import { databaseWithTwoTenants } from "../../bin/dev/migration/search-database.ts";

// Two sources in Berlin with an open line each, and an open period whose last run saw both lines.

const PERIOD = "rcn_00000000000000000000000000000001";
const NIGHT = "2026-11-28 00:30+00";
/** After 5 in Berlin. */
const MORNING = "2026-11-28 04:30+00";

const database = databaseWithTwoTenants(`
  insert into public.sources (tenant_id, name, kind, currency, line_count, time_zone)
  select 'acme', 'Source ' || n, 'ledger', 'EUR', 1, 'Europe/Berlin' from generate_series(1, 2) n;
  insert into public.pairs (tenant_id, left_source_no, right_source_no)
  select 'acme', min(source_no), max(source_no) from public.sources;
  insert into public.reconciliations (id, tenant_id, name, period_start, period_end, left_source,
    right_source, pair_no, left_source_id, right_source_id)
  select '${PERIOD}', 'acme', 'Pair', '2026-10-01', '2026-10-31', 'One', 'Two', pair.pair_no,
    from_left.id, from_right.id
  from public.pairs pair
  join public.sources from_left on from_left.source_no = pair.left_source_no
  join public.sources from_right on from_right.source_no = pair.right_source_no;
  insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
    open_minor, value_date)
  select 'acme', pair.pair_no, n, side, 'EUR', n, n, '2026-10-14'
  from public.pairs pair, (values (1, 'left'), (2, 'right')) one (n, side);
  insert into public.runs (tenant_id, reconciliation_id, pair_no, status, created_at, conditions)
  select 'acme', '${PERIOD}', pair.pair_no, 'done', '2026-11-27 12:00+00', jsonb_build_object(
    'days_of_grace', (select jsonb_object_agg(source_no, date '2026-10-15') from public.sources))
  from public.pairs pair;
  delete from private.run_changes;
  delete from graphile_worker._private_jobs`);

const CHANGED = `insert into private.run_changes (tenant_id, reconciliation_id)
  values ('acme', '${PERIOD}')`;

/** How many runs each of two calls queues, after a setup that is rolled back. */
async function queued(setup: string, at = NIGHT): Promise<[number, number]> {
  await database.run("begin");
  try {
    await database.run(setup);
    const call = () =>
      database.count(`select private.queue_nightly_runs(at => '${at}')::integer as count`);
    return [await call(), await call()];
  } finally {
    await database.run("rollback");
  }
}

test("no run is queued if nothing has changed since the last one", async () => {
  expect(await queued("")).toEqual([0, 0]);
});

test("a change since the last run gets one run, at night in the time zone of its sources", async () => {
  expect(await queued(CHANGED)).toEqual([1, 0]);
  expect(await queued(CHANGED, MORNING)).toEqual([0, 0]);
});

test.each([
  [
    "a decision that no run has learned from",
    `insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed)
     select 'acme', pair_no, gen_random_uuid(), true from public.pairs`,
  ],
  [
    "a line whose grace period has ended since the last run",
    "update private.open_lines set value_date = '2026-10-15' where side = 'right'",
  ],
  ["a failed run", "update public.runs set status = 'failed'"],
])("%s gets a run", async (_, setup) => {
  expect(await queued(setup)).toEqual([1, 0]);
});

test.each([
  ["doesn't run automatically", "update public.reconciliations set auto_run = false"],
  ["ran in the last hours", `update public.runs set created_at = '2026-11-27 20:00+00'`],
  ["waits for a run", "update public.runs set status = 'queued'"],
  ["is being prepared", "update public.pairs set opening = '{}'"],
  ["is archived", "update public.reconciliations set status = 'archived'"],
])("no run is queued for a period that %s", async (_, setup) => {
  expect(await queued(`${CHANGED}; ${setup}`)).toEqual([0, 0]);
});

test("a nightly run has a lower priority than other runs, until a person requests it", async () => {
  const priority = (also: string) =>
    queuedPriority(`${CHANGED}; select private.queue_nightly_runs(at => '${NIGHT}'); ${also}`);
  expect(await priority("")).toBe(10);
  expect(await priority(`select private.request_runs('acme', pair_no) from public.pairs`)).toBe(0);
});

async function queuedPriority(setup: string): Promise<number> {
  await database.run("begin");
  try {
    await database.run(setup);
    return await database.count(
      `select priority::integer as count from graphile_worker.jobs where key = 'match:${PERIOD}'`,
    );
  } finally {
    await database.run("rollback");
  }
}
