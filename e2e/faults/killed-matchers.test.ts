import { afterAll, beforeAll, expect, test } from "vitest";
import { BOOK_DIFFERENCES } from "#e2e/book-differences.ts";
import { freshDataDir } from "#e2e/stack/data-dir.ts";
import { Project } from "#e2e/stack/project.ts";
import { Supervisor } from "#e2e/stack/supervisor.ts";
import { until } from "#e2e/until.ts";
import { ledgerAgainstBank } from "../../engine/judge/datasets/businesses.ts";
import type { DatasetLine } from "../../engine/judge/datasets/dataset.ts";
import { Random } from "../../engine/judge/datasets/random.ts";

const TENANT = "acme";
const PAIRS = 3;
const LINES = 240;
const KILLS = 8;
const MATCHERS = ["matcher-1", "matcher-2"];
/** A dead matcher's job is unlocked after half a minute. */
const SETTLED_TIMEOUT_MS = 150_000;

const dataDir = freshDataDir();
let stack: Supervisor;
let project: Project;
beforeAll(async () => {
  stack = await Supervisor.ready({
    DATA_DIR: dataDir,
    MATCHER_CONCURRENCY: String(MATCHERS.length),
    RATE_LIMIT_PER_MINUTE: "0",
  });
  project = new Project(stack, dataDir);
});
afterAll(() => stack.end("SIGTERM"));

type Pair = { left: string; right: string; period: string };

async function pairOf(name: string): Promise<Pair> {
  const source = (side: string) =>
    project.call<{ id: string }>("POST", "/v1/sources", {
      name: `${side} ${name}`,
      kind: "ledger",
      currency: "EUR",
    });
  const [left, right] = [(await source("Ledger")).id, (await source("Bank")).id];
  const { id } = await project.call<{ id: string }>("POST", "/v1/reconciliations", {
    name,
    period_start: "2026-03-01",
    period_end: "2026-04-30",
    left_source_id: left,
    right_source_id: right,
  });
  const { rules } = await project.call<{ rules: object[] }>(
    "GET",
    `/v1/reconciliations/${id}/rules`,
  );
  await project.call("PUT", `/v1/reconciliations/${id}/rules`, { rules, automatic: "always" });
  return { left, right, period: id };
}

async function add(source: string, lines: readonly DatasetLine[]): Promise<void> {
  const body = lines.map(({ identity, value_date, ...line }) => ({
    ...Object.fromEntries(
      Object.entries(line).filter(([, value]) => value !== null && value !== undefined),
    ),
    external_id: identity,
    value_date: new Date(value_date * 86_400_000).toISOString().slice(0, 10),
  }));
  if (body.length > 0) await project.call("POST", `/v1/sources/${source}/lines`, { lines: body });
}

/** The pair's matches in terms of external IDs, which are the same in every pair. */
async function outcome({ period }: Pair): Promise<string[]> {
  const rows = await project.sql<{ result: string }>(
    `select concat_ws(' ', m.state, m.method, m.residual_minor,
       string_agg(l.external_id || '=' || mm.allocated_minor, ',' order by l.external_id)) as result
     from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
     join lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
     where m.tenant_id = $1 and m.reconciliation_id = $2 and m.state in ('confirmed', 'suggested')
     group by m.tenant_id, m.id order by result`,
    [TENANT, period],
  );
  return rows.map(({ result }) => result);
}

/**
 * Ignores exhausted jobs: graphile-worker gives up a running job when another one for the same
 * period is added.
 */
const isSettled = async () =>
  (
    await project.sql(
      `select from graphile_worker.jobs where task_identifier = 'match_pair'
         and attempts < max_attempts`,
    )
  ).length === 0 &&
  (await project.sql("select from runs where status in ('queued', 'running')")).length === 0;

async function expectSound(pairs: readonly Pair[]): Promise<void> {
  expect(await project.sql(BOOK_DIFFERENCES, [TENANT])).toEqual([]);
  for (const { period } of pairs)
    expect(await project.call("GET", `/v1/reconciliations/${period}/proof`)).toMatchObject({
      holds: true,
    });
}

test("two matchers killed at random leave valid proofs and the same result", async () => {
  const random = new Random(18);
  const dataset = ledgerAgainstBank(7, LINES);
  const undisturbed = await pairOf("Quiet");
  await add(undisturbed.left, dataset.left);
  await add(undisturbed.right, dataset.right);
  await until("the quiet pair to be matched", isSettled, SETTLED_TIMEOUT_MS);
  const expected = await outcome(undisturbed);
  expect(expected.length).toBeGreaterThan(LINES / 3);

  const pairs = await Promise.all(
    Array.from({ length: PAIRS }, (_, nth) => pairOf(`Disturbed ${nth}`)),
  );
  const parcel = (lines: readonly DatasetLine[], nth: number, pair: number) =>
    lines.filter((_, at) => (at * 7 + pair) % KILLS === nth);
  for (let nth = 0; nth < KILLS; nth++) {
    const [{ now } = { now: "" }] = await project.sql<{ now: string }>(
      "select clock_timestamp()::text as now",
    );
    for (const [at, { left, right }] of pairs.entries()) {
      await add(left, parcel(dataset.left, nth, at));
      await add(right, parcel(dataset.right, nth, at));
    }
    const begun = async () =>
      (
        await project.sql<{ status: string }>("select status from runs where started_at > $1", [
          now,
        ])
      ).length > 0;
    let polls = random.between(0, 12);
    await until(
      "a run to be in progress",
      async () => (await begun()) && polls-- <= 0,
      SETTLED_TIMEOUT_MS,
    );
    const victims = random.chance(0.4) ? MATCHERS : [random.pick(MATCHERS)];
    const before = victims.map((name) => stack.pidOf(name));
    for (const pid of before) process.kill(pid, "SIGKILL");
    await expectSound(pairs);
    await until("their replacements to start", () =>
      victims.every((name, at) => stack.pidOf(name) !== before[at]),
    );
  }
  await until("all to be matched", isSettled, SETTLED_TIMEOUT_MS);
  await expectSound(pairs);
  for (const pair of pairs) expect(await outcome(pair)).toEqual(expected);
});
