import type { Client } from "pg";
import { afterAll, beforeAll, describe, test } from "vitest";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor, until } from "./supervisor.ts";

/** Of one that takes no jobs: noticed after 15 s, sure 3 s later, then a start. */
const TAKES_WORK_WITHIN_MS = 45_000;

const DATA_DIR = freshDataDir();
let stack: Supervisor;
let project: Project;
beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR });
  project = new Project(stack, DATA_DIR);
});
afterAll(() => stack.end("SIGTERM"));

async function inTransaction(statement: string): Promise<{ client: Client; end: () => Promise<void> }> {
  const client = await project.connect({ application_name: "test" });
  await client.query(`begin; ${statement}`);
  return {
    client,
    async end() {
      await client.query("rollback");
      await client.end();
    },
  };
}

const waiting = (what: string) =>
  project.sql(`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1`, [what]).then((rows) => rows.length);

const cut = (which: string) =>
  project.sql(`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and (${which})`);

async function expectWorkIsTaken(): Promise<void> {
  const isDone = await project.giveJob("announce_expiring_api_keys");
  await until("a job to be done", isDone, TAKES_WORK_WITHIN_MS);
  await until("the service to be ready", async () => (await stack.get("/readyz")) === 200);
}

describe("a worker that could only live and beat ends, and its successor takes work", () => {
  test("after the first look for jobs failed, whose failure graphile-worker remembers", async () => {
    const lock = await inTransaction("lock table graphile_worker._private_tasks in access exclusive mode");
    const killed = stack.pidOf("worker");
    process.kill(killed, "SIGKILL");
    await until("the first look for jobs", async () => (await waiting("_private_tasks as (tasks|existing)")) > 0);
    await cut("wait_event_type = 'Lock'");
    await lock.end();
    await until("readiness to show that no work is taken", async () => (await stack.get("/readyz")) === 503);
    await expectWorkIsTaken();
  });

  test("after jobs that were done could not be settled, which graphile-worker waits for without end", async () => {
    const before = stack.pidOf("worker");
    const records = await inTransaction("lock table public.records in access exclusive mode");
    await project.sql("select graphile_worker.add_job('purge_records') from generate_series(1, 20)");
    await until("jobs to be under way", async () => (await waiting("purge_records")) >= 3);
    const jobs = await inTransaction("lock table graphile_worker._private_jobs in share row exclusive mode");
    await records.end();
    await until("their settlement to wait", async () => (await waiting("graphile_worker")) > 0);
    await cut("usename = current_user and application_name <> 'test'");
    await jobs.end();
    await expectWorkIsTaken();
    await until("the worker that could not settle them to be replaced", () => stack.pidOf("worker") !== before);
    await until("all of the jobs to be done", async () => (await project.sql("select from graphile_worker.jobs")).length === 0);
  });
});
