import type { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { underCpuPressure } from "#e2e/cpu-pressure.ts";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const MAX_TAKEOVER_MS = 30_000;

const DATA_DIR = freshDataDir();
let stack: Supervisor;
let project: Project;
beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR });
  project = new Project(stack, DATA_DIR);
});
afterAll(() => stack.end("SIGTERM"));

async function inTransaction(statement: string): Promise<{ end: () => Promise<void> }> {
  const client = await project.connect();
  await client.query(`begin; ${statement}`);
  return {
    async end() {
      await client.query("rollback");
      await client.end();
    },
  };
}

const waiting = (what: string) =>
  project
    .sql(`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1`, [what])
    .then((rows) => rows.length);

test("a worker whose first poll fails ends, and its successor works", async () => {
  const lock = await inTransaction("lock table graphile_worker._private_tasks");
  process.kill(stack.pidOf("worker"), "SIGKILL");
  await until(
    "the first poll for jobs",
    async () => (await waiting("_private_tasks as (tasks|existing)")) > 0,
  );
  await project.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'",
  );
  await lock.end();
  await until(
    "readiness to show that no worker works",
    async () => (await stack.get("/readyz")) === 503,
  );
  await until("a job to be done", await project.giveJob("announce_expiring_api_keys"));
  await until("the service to be ready", async () => (await stack.get("/readyz")) === 200);
});

test("the job of a killed worker is taken over within 30 s", async () => {
  const lock = await inTransaction("lock table public.records");
  const isDone = await project.giveJob("purge_records");
  await until("the job to be under way", async () => (await waiting("purge_records")) > 0);
  process.kill(stack.pidOf("worker"), "SIGKILL");
  const [killedAt, delayedMs] = [performance.now(), underCpuPressure()];
  await lock.end();
  await until("the job to be done", isDone);
  expect(performance.now() - killedAt - delayedMs()).toBeLessThan(MAX_TAKEOVER_MS);
});

test("a database without a free connection is logged, and used once it has one", async () => {
  const taken: Client[] = [];
  const takeMore = async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => project.connect()));
    const got = attempts.flatMap((attempt) =>
      attempt.status === "fulfilled" ? [attempt.value] : [],
    );
    taken.push(...got);
    return got.length;
  };
  await until("every connection to be taken", async () => (await takeMore()) === 0);
  process.kill(stack.pidOf("worker"), "SIGKILL");
  await until("the log to say so", async () => {
    await takeMore();
    return stack.entries.some(
      ({ part, msg, reason }) =>
        part === "worker" &&
        msg === "waits for the database" &&
        /no connection left/.test(`${reason}`),
    );
  });
  await Promise.all(taken.map((client) => client.end()));
  await until("a job to be done", await project.giveJob("announce_expiring_api_keys"));
  await until("the service to be ready", async () => (await stack.get("/readyz")) === 200);
});
