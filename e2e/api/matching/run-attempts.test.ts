import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { line, World } from "./world.ts";

type Begun = { run_id: string; attempt: number; pair_no: number };

/** As a matcher takes a run up. */
async function begin({ tenant, period }: World): Promise<Begun> {
  const [row] = await sql<{ begun: Begun }>("select private.begin_run($1, $2, null, 'test') as begun", [tenant, period]);
  if (!row) throw new Error("The run was not begun.");
  return row.begun;
}

/** The columns of an empty chunk, and the object of its explanations. */
const NO_MATCHES = Array.from({ length: 18 }, () => "'{}'").join(", ");

/** All that a matcher writes of a run. The last ends it. */
const WRITES: [what: string, call: (world: World, run: Begun) => [statement: string, values: unknown[]]][] = [
  [
    "what was learnt",
    ({ tenant }, { run_id, attempt, pair_no }) => ["select private.keep_weights($1, $2, $3, $4, '{}', 0)", [tenant, pair_no, run_id, attempt]],
  ],
  ["how far it is", ({ tenant }, { run_id, attempt }) => ["select private.tell_run_progress($1, $2, $3, 'x', 1, 2)", [tenant, run_id, attempt]]],
  [
    "matches",
    ({ tenant, period }, { run_id, attempt }) => [
      `select private.keep_matches($1, $2, $3, $4, ${NO_MATCHES})`,
      [tenant, period, run_id, attempt],
    ],
  ],
  [
    "exceptions",
    ({ tenant, period }, { run_id, attempt }) => ["select private.open_line_exceptions($1, $2, $3, $4, '[]')", [tenant, period, run_id, attempt]],
  ],
  [
    "what exceptions point at",
    ({ tenant, period }, { run_id, attempt }) => [
      "select private.point_exceptions_at_suggestions($1, $2, $3, $4)",
      [tenant, period, run_id, attempt],
    ],
  ],
  ["its dry end", ({ tenant }, { run_id, attempt }) => ["select private.finish_dry_run($1, $2, $3, '{}')", [tenant, run_id, attempt]]],
  [
    "its end",
    ({ tenant }, { run_id, attempt }) => [
      `select private.finish_run($1, $2, $3, '{"waterfall": [{"rule": "x", "settled": false}]}')`,
      [tenant, run_id, attempt],
    ],
  ],
];

const stateOf = async ({ tenant }: World, { run_id }: Begun) =>
  (await sql<{ status: string; failure: string | null }>("select status, failure from runs where tenant_id = $1 and id = $2", [tenant, run_id]))[0];

test("a run that another matcher took up is written by that one alone", async () => {
  const world = await World.create();
  await world.add("left", [line("l1", 100)]);
  await world.add("right", [line("r1", 100)]);
  const first = await begin(world);
  const second = await begin(world);
  expect(second).toMatchObject({ run_id: first.run_id, attempt: first.attempt + 1 });
  for (const [what, call] of WRITES)
    await expect(sql(...call(world, first)), what).rejects.toMatchObject({ code: "TO001", message: "conflict" });
  const [failing] = await sql("select private.fail_run($1, $2, $3, 'x') as failed", [world.tenant, first.run_id, first.attempt]);
  expect(failing).toEqual({ failed: false });
  for (const [what, call] of WRITES.filter(([what]) => what !== "its dry end"))
    await expect(sql(...call(world, second)), what).resolves.toHaveLength(1);
  expect(await stateOf(world, second)).toEqual({ status: "done", failure: null });
});

test("a run whose process died at every attempt fails, and one that waits without a job gets another", async () => {
  const world = await World.create();
  const run = await begin(world);
  const key = `match:${world.period}`;
  const end = () => sql("select private.end_abandoned_runs('Gone.')");
  await sql("select graphile_worker.add_job('match_pair', '{}', job_key => $1, run_at => now() + interval '1 day', max_attempts => 5)", [key]);
  try {
    await end();
    expect(await stateOf(world, run)).toMatchObject({ status: "running" });
    await sql("update graphile_worker._private_jobs set attempts = max_attempts where key = $1", [key]);
    await end();
    expect(await stateOf(world, run)).toMatchObject({ status: "failed", failure: expect.any(String) });
  } finally {
    await sql("delete from graphile_worker._private_jobs where key = $1", [key]);
  }
  const waiting = await begin(world);
  await sql("update runs set status = 'queued', started_at = null where tenant_id = $1 and id = $2", [world.tenant, waiting.run_id]);
  await end();
  await until("a matcher does it", async () => (await stateOf(world, waiting))?.status === "done");
});
