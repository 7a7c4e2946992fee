import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freshDataDir } from "#e2e/stack/data-dir.ts";
import { Project } from "#e2e/stack/project.ts";
import { Supervisor } from "#e2e/stack/supervisor.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { type CallResult, call, Writers } from "./writers.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/**
 * More than twice the 8 calls that run at once per tenant, so that the last time out in the queue.
 */
const WRITER_COUNT = 20;
/** 10 s in the queue and 8 s for a statement, on a busy machine. */
const ANSWERED_TIMEOUT_MS = 30_000;
const RECOVERED_TIMEOUT_MS = 60_000;
const CONNECTIONS_PER_ROUND = 20;
const STATEMENT_TIMED_OUT = /^This took the database too long\./;
const QUEUE_TIMED_OUT = /^The service is busy\./;
const NO_CONNECTION = /^The database is unavailable right now\./;

const DATA_DIR = freshDataDir();
let stack: Supervisor;
let project: Project;
let receiver: Receiver;
let url: string;
/** Connections to close after a failed test. */
const connections: Client[] = [];
const writing: Writers[] = [];

beforeAll(async () => {
  [stack, receiver] = await Promise.all([
    Supervisor.ready({ DATA_DIR, WEBHOOK_ALLOW_HOSTS: "127.0.0.1", RATE_LIMIT_PER_MINUTE: "0" }),
    Receiver.start(),
  ]);
  project = new Project(stack, DATA_DIR);
  url = `http://127.0.0.1:${stack.port}`;
});
afterAll(async () => {
  await receiver.stop();
  await stack.end("SIGTERM");
});

afterEach(async () => {
  await Promise.all(connections.splice(0).map((client) => client.end()));
  await Promise.all(writing.splice(0).map((one) => one.end()));
});

async function writers(name: string, tenant: string, count: number): Promise<Writers> {
  const started = await Writers.start({ name, tenant, count, url, project, receiver });
  writing.push(started);
  return started;
}

async function connection(connectionString = project.env.DATABASE_URL): Promise<Client> {
  const client = new Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  connections.push(client);
  return client;
}

const refusals = ({ responses }: Writers) => responses.filter(({ status }) => status !== 201);
const isRefusal = ({ status, retryAfter, problem }: CallResult) =>
  status === 503 && /^\d+$/.test(retryAfter ?? "") && problem?.code === "unavailable";
const figures = (of: Writers) =>
  `${of.responses.length} calls, ${of.written.length} acknowledged, p99 ${of.quantileMs(0.99)} ` +
  `ms, slowest ${Math.round(of.slowestMs)} ms`;

/** Whether another session waits for a lock of this one. */
async function isWaitedFor(pid: number): Promise<boolean> {
  return (
    (await project.sql("select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", [pid]))
      .length > 0
  );
}

async function pidOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? Number.NaN;
}

/** Takes every connection that the database has, those of requests included. */
async function takeEveryConnection(): Promise<void> {
  // A role may terminate its own sessions.
  const ending = await connection(project.env.REQUEST_DATABASE_URL);
  const ended = async () =>
    (
      await ending.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user
           and pid <> pg_backend_pid()`,
      )
    ).rowCount;
  await until("every connection to be taken", async () => {
    const left = await ended();
    const taken = await Promise.allSettled(
      Array.from({ length: CONNECTIONS_PER_ROUND }, () => connection()),
    );
    return left === 0 && taken.every(({ status }) => status === "rejected");
  });
}

describe("calls", () => {
  test("that exceed their limits are refused as such, and each runs once", async () => {
    const [others, stuck] = [
      await writers("others", "globex", 2),
      await writers("stuck", "acme", WRITER_COUNT),
    ];
    await Promise.all([others.makeMore(10), stuck.makeMore(WRITER_COUNT)]);
    const locking = await connection();
    await locking.query("begin; select from public.tenants where id = 'acme' for update");
    const before = others.written.length;
    const isRefused = (what: RegExp) =>
      refusals(stuck).some(({ problem }) => what.test(problem?.detail ?? ""));
    await until(
      "both to be refused",
      () => isRefused(STATEMENT_TIMED_OUT) && isRefused(QUEUE_TIMED_OUT),
      ANSWERED_TIMEOUT_MS,
    );
    const othersWritten = others.written.length - before;
    await locking.query("commit");
    await stuck.makeMore(WRITER_COUNT, RECOVERED_TIMEOUT_MS);
    await Promise.all([stuck.end(), others.end()]);

    expect(refusals(stuck).filter((answer) => !isRefusal(answer))).toEqual([]);
    expect(stuck.slowestMs).toBeLessThan(ANSWERED_TIMEOUT_MS);
    expect(refusals(others)).toEqual([]);
    expect(othersWritten).toBeGreaterThan(10);
    await Promise.all([stuck.expectNothingLost(), others.expectNothingLost()]);
    console.log(
      [
        `a tenant stuck: ${figures(stuck)}, ${refusals(stuck).length} refused`,
        `another tenant: ${figures(others)}, ${othersWritten} of them during the lock`,
        "lost 0, doubled 0",
      ].join("; "),
    );
  });

  test("that deadlock have one refused completely, which runs once on retry", async () => {
    const others = await writers("bystanders", "globex", 2);
    await receiver.behave("/deadlock", { secrets: [SECRET] });
    await project.call("POST", "/v1/webhooks", {
      url: receiver.url("/deadlock"),
      events: ["exception.updated"],
      secret: SECRET,
    });
    for (const title of ["Knot 1", "Knot 2"])
      await project.call("POST", "/v1/exceptions", { title, severity: "low" });
    type Stored = { id: string; severity: string; changes: number };
    const stored = () =>
      project.sql<Stored>(
        `select e.id, e.severity, (select count(*)::int from public.exception_history h
           where h.tenant_id = e.tenant_id and h.exception_id = e.id
             and h.kind = 'updated') as changes
         from public.exceptions e where title like 'Knot _' order by e.id`,
      );
    const [first, last] = (await stored()) as [Stored, Stored];
    const deadlocks = async () => {
      const [found] = await project.sql<{ deadlocks: string }>(
        "select deadlocks from pg_stat_database where datname = current_database()",
      );
      return Number(found?.deadlocks);
    };
    const deadlocksBefore = await deadlocks();
    const init = {
      method: "POST",
      headers: {
        ...(await project.headers()),
        "Content-Type": "application/json",
        "Idempotency-Key": "knot",
      },
      body: JSON.stringify({ ids: [first.id, last.id], patch: { severity: "high" } }),
    };

    const rival = await connection();
    await rival.query("begin");
    const take = ({ id }: Stored) =>
      rival.query("select from public.exceptions where tenant_id = 'acme' and id = $1 for update", [
        id,
      ]);
    await take(last);
    const request = call(`${url}/v1/exceptions/bulk`, init);
    const pid = await pidOf(rival);
    await until("the call to wait", () => isWaitedFor(pid));
    // A session that has waited for a second checks for a deadlock and is aborted. That is the
    // call, because it has waited longest.
    const [refused] = await Promise.all([request, take(first)]);
    expect(refused).toSatisfy(isRefusal);
    expect(await stored()).toEqual(
      [first, last].map(({ id }) => ({ id, severity: "low", changes: 0 })),
    );
    await rival.query("rollback");
    await until(
      "Postgres to have counted it",
      async () => (await deadlocks()) === deadlocksBefore + 1,
    );

    for (const _ of ["again", "and once more"])
      expect(await call(`${url}/v1/exceptions/bulk`, init)).toMatchObject({ status: 200 });
    expect(await stored()).toEqual(
      [first, last].map(({ id }) => ({ id, severity: "high", changes: 1 })),
    );
    await receiver.gets("/deadlock", 2, RECOVERED_TIMEOUT_MS);
    await others.makeMore(10);
    await others.end();
    expect(refusals(others)).toEqual([]);
    await others.expectNothingLost();
    const deliveries = receiver.received.filter(
      ({ path, verified }) => path === "/deadlock" && verified.includes(SECRET),
    );
    expect(new Set(deliveries.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
    console.log(
      `a deadlock: refused after ${Math.round(refused.ms)} ms, done once; another tenant: ` +
        `${figures(others)}; lost 0, doubled 0`,
    );
  });

  test("that find no connection are refused at once, and nothing is lost", async () => {
    const crowd = await writers("full", "acme", 4);
    await crowd.makeMore(10);
    await takeEveryConnection();
    const before = refusals(crowd).length;
    await until("twenty refusals", () => refusals(crowd).length >= before + 20);
    const refused = refusals(crowd);
    const unready = await call(`${url}/readyz`);
    await Promise.all(connections.splice(0).map((client) => client.end()));
    const since = performance.now();
    await crowd.makeMore(10, RECOVERED_TIMEOUT_MS);
    await until(
      "the service to be ready",
      async () => (await call(`${url}/readyz`)).status === 200,
      RECOVERED_TIMEOUT_MS,
    );
    const recoveredMs = performance.now() - since;
    await crowd.end();

    expect(refusals(crowd).filter((answer) => !isRefusal(answer))).toEqual([]);
    expect(refused.every(({ problem }) => NO_CONNECTION.test(problem?.detail ?? ""))).toBe(true);
    expect(unready.status).toBe(503);
    expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(5_000);
    await crowd.expectNothingLost();
    console.log(
      `no connection: ${figures(crowd)}, ${refusals(crowd).length} refused; back after ` +
        `${Math.round(recoveredMs)} ms; lost 0, doubled 0`,
    );
  });
});
