import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { underCpuPressure } from "#e2e/cpu-pressure.ts";
import { creating } from "#e2e/exception-statements.ts";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Supervisor, stackOf } from "./supervisor.ts";

const WORKER = fileURLToPath(new URL("../../worker/main.ts", import.meta.url));
const COUNT = 50;
/** Each breach is reported once. Thresholds are reported when an exception is created. */
const EACH_ONCE = { reported: COUNT, exceptions: COUNT };
/**
 * Far less than the ten minutes by which the workers' clocks are wrong, and far more than the delay
 * of a busy machine.
 */
const ON_TIME_MS = 10_000;

const dataDir = freshDataDir();
const start = () => Supervisor.ready({ DATA_DIR: dataDir });

let stack: Supervisor;
let tenant: string;

beforeAll(async () => {
  stack = await start();
});
afterAll(() => stack.end("SIGTERM"));
beforeEach(async () => {
  tenant = `t-${randomBytes(6).toString("hex")}`;
  await sql("select private.create_tenant($1, $1)", [tenant]);
});

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: stackOf(dataDir).env.DATABASE_URL });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Creates exceptions whose deadlines pass after this many seconds. @returns the last deadline, by
 * the database's clock
 */
async function dueIn(seconds: number): Promise<Date> {
  const rows = await sql<{ due_at: Date }>(
    creating(
      `'tenant_id', $1::text, 'title', 'T' || i, 'severity', 'low', 'due_at',
         clock_timestamp() + make_interval(secs => $2 + i / 100.0), 'created_by', 'system'`,
      `generate_series(1, $3::int) i`,
    ),
    [tenant, seconds, COUNT],
  );
  return new Date(Math.max(...rows.map(({ due_at }) => due_at.getTime())));
}

async function hasPassed(moment: Date): Promise<boolean> {
  const [row] = await sql<{ passed: boolean }>("select clock_timestamp() > $1 as passed", [moment]);
  return row?.passed ?? false;
}

/**
 * The number of reported breaches, of their exceptions and of early ones, and the longest delay.
 */
async function breaches() {
  const [row] = await sql<{
    reported: number;
    exceptions: number;
    early: number;
    latest_ms: number | null;
  }>(
    `select count(*)::int as reported,
       count(distinct data -> 'exception' ->> 'id')::int as exceptions,
       count(*) filter (where at < (data ->> 'due_at')::timestamptz)::int as early,
       max(extract(epoch from at - (data ->> 'due_at')::timestamptz) * 1000)::float as latest_ms
     from public.events where tenant_id = $1 and type = 'exception.sla.breached'`,
    [tenant],
  );
  return row ?? { reported: 0, exceptions: 0, early: 0, latest_ms: null };
}

async function breachedCount(): Promise<number> {
  const [row] = await sql<{ n: number }>(
    `select (private.sla_summary(clock_timestamp()) ->> 'breached_count')::int as n
     from set_config('request.jwt.claims', $1, false)`,
    [JSON.stringify({ tenant_id: tenant })],
  );
  return row?.n ?? -1;
}

const allAreReported = () =>
  until("every breach to be reported", async () => (await breaches()).reported >= COUNT);

describe("deadlines that pass", () => {
  test("count at once while the worker is stalled, and are reported once each", async () => {
    process.kill(stack.pidOf("worker"), "SIGSTOP");
    const last = await dueIn(0.2);
    await until("the last deadline to pass", () => hasPassed(last));
    expect(await breaches()).toMatchObject({ reported: 0 });
    expect(await breachedCount()).toBe(COUNT);
    process.kill(stack.pidOf("worker"), "SIGCONT");
    await allAreReported();
    expect(await breaches()).toMatchObject({ ...EACH_ONCE, early: 0 });
  });

  test("while nothing runs are reported once each after the next start", async () => {
    const last = await dueIn(4);
    expect(await stack.end("SIGTERM")).toBe(0);
    await until("the last deadline to pass", () => Date.now() > last.getTime() + 1000);
    stack = await start();
    await allAreReported();
    expect(await breaches()).toMatchObject({ ...EACH_ONCE, early: 0 });
  });

  test("are reported once and on time by workers with wrong clocks", async () => {
    const workers = await Promise.all([600_000, -600_000].map(shiftedWorker));
    process.kill(stack.pidOf("worker"), "SIGSTOP");
    try {
      const delayedMs = underCpuPressure();
      const last = await dueIn(1);
      await until("the last deadline to pass", () => hasPassed(last));
      await allAreReported();
      const result = await breaches();
      expect(result).toMatchObject({ ...EACH_ONCE, early: 0 });
      expect((result.latest_ms ?? Number.NaN) - delayedMs()).toBeLessThan(ON_TIME_MS);
      expect(workers.reduce((sum, { moved }) => sum + moved(), 0)).toBeGreaterThanOrEqual(COUNT);
    } finally {
      process.kill(stack.pidOf("worker"), "SIGCONT");
      await Promise.all(workers.map(({ stop }) => stop()));
    }
  });
});

/** A worker with a shifted clock. `moved` returns how many exceptions' clocks it has advanced. */
async function shiftedWorker(
  by_ms: number,
): Promise<{ moved: () => number; stop: () => Promise<void> }> {
  const preload = `const { now } = Date; const Real = Date;
    globalThis.Date = class extends Real { constructor(...given) { super(...(given.length ? given : [now() + ${by_ms}])); } static now() { return now() + ${by_ms}; } };`;
  const worker: ChildProcess = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, WORKER],
    {
      env: { ...process.env, ...stackOf(dataDir).env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let moved = 0;
  let working = false;
  createInterface({ input: worker.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const entry = JSON.parse(line) as { msg: string; time: string; moved?: number };
    if (entry.msg === "working")
      working = Math.abs(Date.parse(entry.time) - Date.now() - by_ms) < 60_000;
    if (entry.msg === "deadlines crossed") moved += entry.moved ?? 0;
  });
  await until("the worker to work, by its own time", () => working);
  return {
    moved: () => moved,
    async stop() {
      worker.kill("SIGTERM");
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
    },
  };
}
