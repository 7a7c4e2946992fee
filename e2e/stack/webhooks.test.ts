import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SignJWT } from "jose";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { underCpuPressure } from "#e2e/cpu-pressure.ts";
import { until } from "#e2e/until.ts";
import { type Behaviour, Receiver } from "#e2e/webhooks/receiver.ts";
import type { Delivery, DeliveryDetail } from "#lib/webhooks/deliveries/contract.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const MAX_TAKEOVER_MS = 30_000;
const PAST_DEADLINE_SECONDS = 16;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const dataDir = freshDataDir();
const keys = [0, 1].map(() => randomBytes(32).toString("base64"));
const start = (encryptionKeys = keys[0] ?? "") =>
  Supervisor.ready({
    DATA_DIR: dataDir,
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
    ENCRYPTION_KEYS: encryptionKeys,
  });

let stack: Supervisor;
let receiver: Receiver;
let hooks = 0;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([start(), Receiver.start()]);
});
afterAll(async () => {
  await Promise.all([stack.end("SIGTERM"), receiver.stop()]);
});

function stackFile(): { url: string; env: Record<string, string> } {
  return JSON.parse(readFileSync(join(dataDir, "stack.json"), "utf8"));
}

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const { url, env } = stackFile();
  const token = await new SignJWT({
    preferred_username: "ada",
    tenants: { acme: ["tenant_admin"] },
  })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject("ada")
    .setExpirationTime("10m")
    .sign(new TextEncoder().encode(env.AUTH_JWT_SECRET));
  const headers = {
    Authorization: `Bearer ${token}`,
    "X-Tenant-Id": "acme",
    ...(body && { "Content-Type": "application/json" }),
  };
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: stackFile().env.DATABASE_URL });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

type Sent = { path: string; webhook: string; delivery: string };

/** A test event on its way to its own receiver. */
async function send(behaviour: Behaviour): Promise<Sent> {
  const path = `/hook-${++hooks}`;
  await receiver.behave(path, { secrets: [SECRET], ...behaviour });
  const webhook = await call<{ id: string }>("POST", "/v1/webhooks", {
    url: receiver.url(path),
    events: ["webhook.test"],
    secret: SECRET,
  });
  const { id } = await call<Delivery>("POST", `/v1/webhooks/${webhook.id}/test`);
  await receiver.gets(path, 1);
  return { path, webhook: webhook.id, delivery: id };
}

async function delivered({ webhook, delivery }: Sent, withinMs?: number): Promise<DeliveryDetail> {
  const get = () => call<DeliveryDetail>("GET", `/v1/webhooks/${webhook}/deliveries/${delivery}`);
  await until(
    "the delivery to arrive",
    () =>
      get().then(
        ({ status }) => status === "delivered",
        () => false,
      ),
    withinMs,
  );
  return get();
}

const statuses = ({ attempts }: DeliveryDetail) => attempts.map(({ status }) => status);

/** The invariant after every fault: the log has an attempt with the same ID for each request. */
function expectAllLogged({ path }: Sent, detail: DeliveryDetail): void {
  const received = receiver.at(path);
  expect(received.length).toBe(detail.attempts.length);
  for (const { headers, verified } of received) {
    expect(headers["webhook-id"]).toBe(detail.event_id);
    expect(verified).toEqual([SECRET]);
  }
}

describe("a worker in mid-delivery", () => {
  test("that is killed has its delivery taken over within 30 s, with its webhook-id", async () => {
    const sent = await send({ trick: "hang" });
    const [killedAt, delayedMs] = [performance.now(), underCpuPressure()];
    process.kill(stack.pidOf("worker"), "SIGKILL");
    await receiver.behave(sent.path, { secrets: [SECRET] });
    const detail = await delivered(sent);
    expect(performance.now() - killedAt - delayedMs()).toBeLessThan(MAX_TAKEOVER_MS);
    expect(statuses(detail)).toEqual(["interrupted", "succeeded"]);
    expectAllLogged(sent, detail);
  });

  test("that froze and wakes up late changes nothing with its late result", async () => {
    const sent = await send({ status: 500, delay_ms: 2_000 });
    const zombie = stack.pidOf("worker");
    process.kill(zombie, "SIGSTOP");
    const { env } = stackFile();
    const other = spawn(process.execPath, [join(ROOT, "worker/main.ts")], {
      env: { ...process.env, ...env, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    try {
      await receiver.behave(sent.path, { secrets: [SECRET] });
      const detail = await delivered(sent);
      expect(statuses(detail)).toEqual(["interrupted", "succeeded"]);
      process.kill(zombie, "SIGCONT");
      await until("the late result to be discarded", async () =>
        stack.entries.some(({ part, msg }) => part === "worker" && msg.startsWith("late result")),
      );
      const later = await delivered(sent);
      expect({ ...later, attempts: [] }).toEqual({ ...detail, attempts: [] });
      expect(statuses(later)).toEqual(["interrupted", "succeeded"]);
      expectAllLogged(sent, later);
    } finally {
      process.kill(zombie, "SIGCONT");
      other.kill("SIGTERM");
    }
  });

  test("that froze beyond the deadline blames no receiver that answered in time", async () => {
    const sent = await send({ delay_ms: 1_000 });
    const frozen = stack.pidOf("worker");
    process.kill(frozen, "SIGSTOP");
    try {
      const hasPassed = `select from webhook_attempts where delivery_id = $1
           and started_at < clock_timestamp() - make_interval(secs => $2)`;
      await until(
        "the deadline to pass",
        async () => (await sql(hasPassed, [sent.delivery, PAST_DEADLINE_SECONDS])).length > 0,
      );
    } finally {
      process.kill(frozen, "SIGCONT");
    }
    const detail = await delivered(sent);
    expect(statuses(detail)).toEqual(["succeeded"]);
    expect(detail.attempts[0]?.duration_ms).toBeLessThan(PAST_DEADLINE_SECONDS * 1_000);
    expectAllLogged(sent, detail);
  });

  test("continues after all of its database connections are cut", async () => {
    const project = new Project(stack, dataDir);
    const before = stack.entries.length;
    // Cuts the connections during a job, whose failure then has to be recorded without them.
    await (await project.connect()).query("begin; lock table public.records");
    const isDone = await project.giveJob("purge_records");
    const waits =
      "select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'purge_records'";
    await until("the job to be under way", async () => (await sql(waits)).length > 0);
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
         and usename = current_user`,
    );
    const sent = await send({});
    expectAllLogged(sent, await delivered(sent));
    await until("the job to be done", isDone);
    // A replacement process may continue instead, if the worker reported a fatal error.
    const since = stack.entries.slice(before);
    const fatal = since.filter(({ part, level }) => part === "worker" && level === "fatal");
    expect(
      since.filter(({ msg }) => msg === "worker exited, restarting").length,
    ).toBeLessThanOrEqual(fatal.length);
  });

  test("whose Postgres stops immediately records the result later, and sends nothing twice", async () => {
    const sent = await send({ delay_ms: 1_500 });
    const before = stack.pidOf("postgres");
    process.kill(before, "SIGQUIT");
    await until("Postgres to be started again", () => stack.pidOf("postgres") !== before);
    const detail = await delivered(sent, 90_000);
    expect(statuses(detail)).toEqual(["succeeded"]);
    expectAllLogged(sent, detail);
  });
});

test("a worker loses none of 300 deliveries and records each if Postgres stops immediately", async () => {
  const path = `/hook-${++hooks}`;
  await receiver.behave(path, { secrets: [SECRET], delay_ms: 50 });
  const { id } = await call<{ id: string }>("POST", "/v1/webhooks", {
    url: receiver.url(path),
    events: ["exception.updated"],
    secret: SECRET,
  });
  await sql(
    `insert into events (tenant_id, type, data) select 'acme', 'exception.updated', '{}'
     from generate_series(1, 300)`,
  );
  await receiver.gets(path, 100);
  process.kill(stack.pidOf("postgres"), "SIGQUIT");
  const count = (what: string) =>
    sql<{ n: number }>(`select count(*)::integer as n from ${what}`, [id]).then(
      ([row]) => row?.n,
      () => undefined,
    );
  await until(
    "all to be delivered",
    async () =>
      (await count("webhook_deliveries where webhook_id = $1 and status = 'delivered'")) === 300,
  );
  const received = receiver.at(path);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(300);
  const attempts = await count(
    "webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.webhook_id = $1",
  );
  expect(received.length).toBeLessThanOrEqual(attempts ?? 0);
  expect(
    await count(
      "webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.webhook_id = $1 and a.status = 'in_flight'",
    ),
  ).toBe(0);
  await call("DELETE", `/v1/webhooks/${id}`);
});

describe("a stack that is stopped in mid-delivery", () => {
  test("finishes and records deliveries under way", async () => {
    const sent = await send({ delay_ms: 1_500 });
    expect(await stack.end("SIGTERM")).toBe(0);
    stack = await start();
    const detail = await delivered(sent);
    expect(statuses(detail)).toEqual(["succeeded"]);
    expectAllLogged(sent, detail);
  });

  test("aborts hanging deliveries, and sends them again at the next start", async () => {
    const sent = await send({ trick: "hang" });
    expect(await stack.end("SIGTERM")).toBe(0);
    await receiver.behave(sent.path, { secrets: [SECRET] });
    stack = await start();
    const detail = await delivered(sent);
    expect(statuses(detail)).toEqual(["interrupted", "succeeded"]);
    expect(detail.attempts[0]?.detail).toBe(
      "Interrupted before the response arrived; attempted again.",
    );
    expectAllLogged(sent, detail);
  });
});

test("resealed secrets sign without the old key of the server", async () => {
  const sent = await send({});
  await delivered(sent);
  await stack.end("SIGTERM");
  stack = await start([keys[1], keys[0]].join(","));
  const output = execFileSync(process.execPath, [join(ROOT, "bin/secrets.ts"), "reseal"], {
    env: { ...process.env, DATA_DIR: dataDir },
    encoding: "utf8",
  });
  expect(output).toMatch(
    /^Resealed (\d+) of \1 secrets of webhooks, connections and alert channels with the newest key\.\n$/,
  );
  await stack.end("SIGTERM");
  stack = await start(keys[1]);
  const again = await call<Delivery>("POST", `/v1/webhooks/${sent.webhook}/test`);
  await delivered({ ...sent, delivery: again.id });
  expect(receiver.at(sent.path).at(-1)?.verified).toEqual([SECRET]);
});
