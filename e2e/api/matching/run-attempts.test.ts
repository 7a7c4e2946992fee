import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { Fixture, line } from "./matching-fixture.ts";

type Begun = { run_id: string; attempt: number; pair_no: number };

/** Begins a run as a matcher does. */
async function begin({ tenant, period }: Fixture): Promise<Begun> {
  const [row] = await sql<{ begun: Begun }>(
    "select private.begin_run($1, $2, null, 'test') as begun",
    [tenant, period],
  );
  if (!row) throw new Error("The run was not begun.");
  return row.begun;
}

/** The columns of an empty chunk, and the object of its explanations. */
const NO_MATCHES = Array.from({ length: 18 }, () => "'{}'").join(", ");

const TOTALS = JSON.stringify({
  digest: "0".repeat(32),
  suggested_count: 0,
  open_count: 2,
  waterfall: [],
  violations: [],
});
/**
 * All writes of a matcher during a run. $1 is its tenant, $2 its period, $3 the run, $4 the
 * attempt, $5 its pair. The last one ends the run.
 */
const WRITES = {
  "learnt weights": "private.save_weights($1, $5, $3, $4, '{}', 0)",
  progress: "private.report_run_progress($1, $3, $4, 'x', 1, 2)",
  matches: `private.save_matches($1, $2, $3, $4, ${NO_MATCHES})`,
  exceptions: "private.open_line_exceptions($1, $2, $3, $4, '[]')",
  "regrouped exceptions": "private.regroup_exceptions($1, $2, $3, $4, '[]')",
  "links from exceptions to suggestions": "private.link_exceptions_to_suggestions($1, $2, $3, $4)",
  "its end": `private.finish_run($1, $3, $4, '${TOTALS}', '{"exceptions_opened": 0, "exceptions_held_back": 0}')`,
};
const DRY_END = `private.finish_dry_run($1, $3, $4, '{"waterfall": []}')`;

const write = ({ tenant, period }: Fixture, { run_id, attempt, pair_no }: Begun, call: string) =>
  sql(`select ${call} from (select $1::text, $2::text, $3::text, $4::integer, $5::integer) given`, [
    tenant,
    period,
    run_id,
    attempt,
    pair_no,
  ]);

async function stateOf({ tenant }: Fixture, { run_id }: Begun) {
  const [run] = await sql<{ status: string; failure: string | null }>(
    "select status, failure from runs where tenant_id = $1 and id = $2",
    [tenant, run_id],
  );
  return run;
}

test("a run that another matcher took over is written only by that matcher", async () => {
  const fixture = await Fixture.create();
  await fixture.add("left", [line("l1", 100)]);
  await fixture.add("right", [line("r1", 100)]);
  const first = await begin(fixture);
  const second = await begin(fixture);
  expect(second).toMatchObject({ run_id: first.run_id, attempt: first.attempt + 1 });
  for (const [what, call] of Object.entries({ ...WRITES, "its dry end": DRY_END }))
    await expect(write(fixture, first, call), what).rejects.toMatchObject({
      code: "TO001",
      message: "conflict",
    });
  const [failing] = await sql("select private.fail_run($1, $2, $3, 'x') as failed", [
    fixture.tenant,
    first.run_id,
    first.attempt,
  ]);
  expect(failing).toEqual({ failed: false });
  for (const [what, call] of Object.entries(WRITES))
    await expect(write(fixture, second, call), what).resolves.toHaveLength(1);
  expect(await stateOf(fixture, second)).toEqual({ status: "done", failure: null });
});

test("a run fails if its process died at every attempt, and a run that lost its job gets a new one", async () => {
  const fixture = await Fixture.create();
  const run = await begin(fixture);
  const key = `match:${fixture.period}`;
  const end = () => sql("select private.end_abandoned_runs('Gone.')");
  await sql(
    `select graphile_worker.add_job('match_pair', '{}', job_key => $1,
       run_at => now() + interval '1 day')`,
    [key],
  );
  try {
    await end();
    expect(await stateOf(fixture, run)).toMatchObject({ status: "running" });
    await sql("update graphile_worker._private_jobs set attempts = max_attempts where key = $1", [
      key,
    ]);
    await end();
    expect(await stateOf(fixture, run)).toMatchObject({
      status: "failed",
      failure: expect.any(String),
    });
  } finally {
    await sql("delete from graphile_worker._private_jobs where key = $1", [key]);
  }
  const waiting = await begin(fixture);
  await sql(
    "update runs set status = 'queued', started_at = null where tenant_id = $1 and id = $2",
    [fixture.tenant, waiting.run_id],
  );
  await end();
  await until(
    "a matcher does it",
    async () => (await stateOf(fixture, waiting))?.status === "done",
  );
});
