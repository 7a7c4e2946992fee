import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freshDataDir } from "#e2e/stack/data-dir.ts";
import { Project } from "#e2e/stack/project.ts";
import { Supervisor } from "#e2e/stack/supervisor.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { Link } from "./link.ts";
import { call, Writers } from "./writers.ts";

const STALL_MS = 25_000;
/** A call may wait for a connection, and then for the response. */
const ANSWERED_TIMEOUT_MS = 30_000;
const RECOVERED_TIMEOUT_MS = 60_000;
const ROUND_TRIP_MS = 200;

const DATA_DIR = freshDataDir();
/** Acts as the Supabase project. Its worker and matcher are stopped. */
let supabase: Supervisor;
let service: Supervisor;
let project: Project;
let link: Link;
let receiver: Receiver;

beforeAll(async () => {
  supabase = await Supervisor.ready({ DATA_DIR });
  const { env } = new Project(supabase, DATA_DIR);
  for (const kind of ["worker", "matcher"] as const) process.kill(supabase.pidOf(kind), "SIGSTOP");
  [link, receiver] = await Promise.all([Link.to(env.DATABASE_URL ?? ""), Receiver.start()]);
  const variables = Object.fromEntries(
    Object.entries(env).filter(([name]) =>
      /^(SUPABASE_|ENCRYPTION_|AUTH_|AUDIT_|NEXTAUTH_SECRET)/.test(name),
    ),
  );
  const urls = Object.fromEntries(
    ["DATABASE_URL", "REQUEST_DATABASE_URL"].map((name) => [name, link.through(env[name] ?? "")]),
  );
  service = await Supervisor.ready({
    ...variables,
    ...urls,
    DATA_DIR: freshDataDir(),
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
  });
  project = new Project(service, DATA_DIR);
});
afterAll(async () => {
  link.stop();
  await service.end("SIGTERM");
  await receiver.stop();
  for (const kind of ["worker", "matcher"] as const) process.kill(supabase.pidOf(kind), "SIGCONT");
  await supabase.end("SIGTERM");
});

/** Writes even if the database is set to read-only. */
async function supabaseSql(text: string): Promise<void> {
  const client = await new Project(supabase, DATA_DIR).connect();
  try {
    await client.query("set default_transaction_read_only = off");
    await client.query(text);
  } finally {
    await client.end();
  }
}

const restarts = () =>
  service.entries.filter(({ msg }) => /exited, restarting|started again/.test(msg)).length;
const get = async (path: string, headers?: Record<string, string>) =>
  call(`http://127.0.0.1:${service.port}${path}`, headers ? { headers } : {});
const isReady = async () => (await get("/readyz")).status === 200;
const startWriters = (name: string) =>
  Writers.start({ name, count: 4, url: `http://127.0.0.1:${service.port}`, project, receiver });

afterEach(() => {
  link.resume();
  link.slowDown(0);
});

describe("a database", () => {
  test("that hangs makes calls and readiness fail in time, and loses nothing", async () => {
    const writers = await startWriters("still");
    await writers.makeMore(10);
    link.pause();
    const since = performance.now();
    const unready = await get("/readyz");
    expect([unready.status, unready.ms < 5_000]).toEqual([503, true]);
    const refused = await get("/v1/me", await project.headers());
    expect(refused).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect((await get("/healthz")).status).toBe(200);
    await sleep(Math.max(0, STALL_MS - (performance.now() - since)));
    link.resume();
    const resumedAt = performance.now();
    await until("the service to be ready", isReady, RECOVERED_TIMEOUT_MS);
    await writers.makeMore(10, RECOVERED_TIMEOUT_MS);
    const recoveredMs = performance.now() - resumedAt;
    await writers.end();
    await writers.expectNothingLost();
    const statuses = new Set(writers.responses.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([201, 503]);
    expect(writers.slowestMs).toBeLessThan(ANSWERED_TIMEOUT_MS);
    expect(restarts()).toBe(0);
    console.log(
      [
        `stalled for ${STALL_MS} ms: ${writers.responses.length} calls`,
        `${writers.written.length} acknowledged, lost 0, doubled 0`,
        `slowest answer ${Math.round(writers.slowestMs)} ms`,
        `back after ${Math.round(recoveredMs)} ms`,
      ].join("; "),
    );
  });

  test("whose connections are lost silently is reached by new ones", async () => {
    const writers = await startWriters("lost");
    await writers.makeMore(10);
    const lost = link.loseConnections();
    expect(lost).toBeGreaterThan(10);
    const since = performance.now();
    await writers.makeMore(10, RECOVERED_TIMEOUT_MS);
    await until("the service to be ready", isReady, RECOVERED_TIMEOUT_MS);
    const recoveredMs = performance.now() - since;
    await writers.end();
    await writers.expectNothingLost();
    expect(writers.slowestMs).toBeLessThan(ANSWERED_TIMEOUT_MS);
    console.log(
      `${lost} connections lost: ${writers.responses.length} calls, ${writers.written.length} ` +
        `acknowledged, lost 0; back after ${Math.round(recoveredMs)} ms`,
    );
  });

  test("that is read-only is reported, leaves no partial write, and recovers by itself", async () => {
    const writers = await startWriters("read-only");
    await writers.makeMore(10);
    const readOnly = async (on: boolean) => {
      await supabaseSql(`alter database postgres set default_transaction_read_only = ${on}`);
      // Only new sessions get the setting.
      link.cutConnections();
    };
    await readOnly(true);
    await until("readiness to say so", async () => {
      const response = await fetch(`http://127.0.0.1:${service.port}/readyz`);
      const { checks } = (await response.json()) as { checks: { database: string } };
      return response.status === 503 && checks.database === "read_only";
    });
    expect((await get("/v1/exceptions/sla", await project.headers())).status).toBe(200);
    await readOnly(false);
    await until("the service to be ready", isReady, RECOVERED_TIMEOUT_MS);
    await writers.makeMore(10, RECOVERED_TIMEOUT_MS);
    await writers.end();
    await writers.expectNothingLost();
    expect([...new Set(writers.responses.map(({ status }) => status))].sort()).toEqual([201, 503]);
  });

  test("that is slow is waited for, and every call is answered", async () => {
    const before = restarts();
    link.slowDown(ROUND_TRIP_MS / 2);
    const writers = await startWriters("slow");
    await writers.makeMore(20);
    expect(await isReady()).toBe(true);
    await writers.end();
    await writers.expectNothingLost();
    expect(writers.responses.filter(({ status }) => status !== 201)).toEqual([]);
    const { id: source } = await project.call<{ id: string }>("POST", "/v1/sources", {
      name: "Slow",
      kind: "ledger",
      currency: "EUR",
    });
    const file = await fetch(`http://127.0.0.1:${service.port}/v1/sources/${source}/imports`, {
      method: "POST",
      headers: { ...(await project.headers()), "Content-Type": "text/csv" },
      body: "value_date,amount,reference\n2026-10-25,12.34,slow-1\n",
    });
    const { id } = (await file.json()) as { id: string };
    const read = async () =>
      (await project.call<{ status: string }>("GET", `/v1/imports/${id}`)).status === "done";
    await until("the import to be read", read);
    expect(restarts()).toBe(before);
    console.log(
      `${ROUND_TRIP_MS} ms a round trip: ${writers.responses.length} writes, median ` +
        `${writers.quantileMs(0.5)} ms, slowest ${Math.round(writers.slowestMs)} ms`,
    );
  });
});
