import { afterEach, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { testDatabases } from "../../bin/dev/generate/test-databases.ts";
import { Jobs } from "./jobs.ts";

const fresh = testDatabases();

/** Cuts the connection while it settles the first job. */
const CUT_THE_FIRST = `
  create sequence public.settlements;
  create function public.cut_the_first() returns trigger language plpgsql as $$
  begin
    if nextval('public.settlements') = 1 then
      perform pg_terminate_backend(pg_backend_pid());
      perform pg_sleep(60);
    end if;
    return coalesce(new, old);
  end $$;
  create trigger cut_the_first before delete or update of last_error on graphile_worker._private_jobs
    for each row execute function public.cut_the_first()`;

const ends: unknown[] = [];
let jobs: Jobs | undefined;
afterEach(async () => {
  await jobs?.stop();
  ends.length = 0;
});

const SETTLED = {
  done: "select not exists (select from graphile_worker._private_jobs) as settled",
  failed: `select exists (select from graphile_worker._private_jobs where last_error = 'in vain'
      and locked_by is null) as settled`,
};

test.each(["done", "failed"] as const)(
  "a job that is %s is settled over a second connection if the first is cut",
  { timeout: 120_000 },
  async (outcome) => {
    const { url, client } = await fresh();
    await client.query(CUT_THE_FIRST);
    let completed = 0;
    jobs = new Jobs({
      connectionString: url,
      tasks: {
        done: () => void completed++,
        failed: () => Promise.reject(new Error("in vain")),
      },
      crontab: "0 0 29 2 * done",
      concurrentJobs: 3,
      stopTimeoutMs: 1_000,
      onEnd: (error) => ends.push(error),
    });
    await client.query("select graphile_worker.add_job($1)", [outcome]);
    await until(
      "the job to be settled",
      async () => (await client.query(SETTLED[outcome])).rows[0].settled,
    );
    expect((await client.query("select last_value from public.settlements")).rows).toEqual([
      { last_value: "2" },
    ]);
    const before = completed;
    await client.query("select graphile_worker.add_job('done')");
    await until("the next job to be done", () => completed > before);
    expect(jobs.healthy).toBe(true);
    expect(ends).toEqual([]);
  },
);

test("runs jobs with a flag up to its limit, without delaying other jobs", {
  timeout: 120_000,
}, async () => {
  const { url, client } = await fresh();
  const held = Promise.withResolvers<void>();
  let holding = 0;
  let max = 0;
  let others = 0;
  jobs = new Jobs({
    connectionString: url,
    tasks: {
      async hold() {
        max = Math.max(max, ++holding);
        await held.promise;
        holding--;
      },
      other: () => void others++,
    },
    crontab: "0 0 29 2 * other",
    concurrentJobs: 4,
    maxConcurrent: (flag) => (flag === "run" ? 2 : 4),
    stopTimeoutMs: 1_000,
    onEnd: (error) => ends.push(error),
  });
  await client.query(
    `select graphile_worker.add_job('hold', flags => array['run', 'run:t'])
     from generate_series(1, 6)`,
  );
  await until("as many as may be", () => holding === 2);
  await client.query(
    "select graphile_worker.add_job('other', flags => array['lines']) from generate_series(1, 8)",
  );
  await until("the others to be done", () => others === 8);
  held.resolve();
  await until("all to be done", async () => (await client.query(SETTLED.done)).rows[0].settled);
  expect(max).toBe(2);
});
