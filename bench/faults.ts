/**
 * Drills that take minutes, each on a stack of its own. What they show is in docs/decisions/0014.
 *
 *   node bench/faults.ts idle [rounds]         interruptions of Postgres after which a worker lives and does nothing
 *   node bench/faults.ts orphans [rounds]      kill -9 of the supervisor under 150 calls a second
 *   node bench/faults.ts revocation [rounds]   calls that a process accepts with a key that it has just revoked
 *   node bench/faults.ts lanes [rounds]        another tenant's list while one tenant searches and exports 250,000 exceptions, and sends what
 *                                              is costly to read
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SignJWT } from "jose";
import { Client } from "pg";
import { runs, Supervisor, stackOf, until } from "#e2e/stack/supervisor.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const dataDirs: string[] = [];
process.once("exit", () => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

function freshDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "tieout-drill-"));
  dataDirs.push(dataDir);
  return dataDir;
}

type Stack = { supervisor: Supervisor; dataDir: string; env: Record<string, string> };

async function start(variables: Record<string, string> = {}): Promise<Stack> {
  const dataDir = variables.DATA_DIR ?? freshDataDir();
  const supervisor = await Supervisor.ready({
    DATA_DIR: dataDir,
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
    ...variables,
  });
  return { supervisor, dataDir, env: stackOf(dataDir).env };
}

async function headersOf({ env }: Stack): Promise<Record<string, string>> {
  const token = await new SignJWT({ sub: "ada", tenants: { acme: ["tenant_admin"] } })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("2h")
    .sign(new TextEncoder().encode(env.AUTH_JWT_SECRET));
  return { Authorization: `Bearer ${token}`, "X-Tenant-Id": "acme", "Content-Type": "application/json" };
}

async function sql<Row extends object>({ env }: Stack, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: env.DATABASE_URL, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text, values)).rows;
  } finally {
    void client.end().catch(() => {});
  }
}

// ── idle ──

const HOLD_FULL_MS = 5_000;
const SETTLED_AFTER_MS = 25_000;
const JOB_TAKEN_WITHIN_MS = 5_000;
const HEARD_WITHIN_MS = 1_500;

const INTERRUPTIONS: Record<string, (stack: Stack) => Promise<void>> = {
  full: fillConnections,
  killed: async ({ supervisor }) => void process.kill(supervisor.pidOf("postgres"), "SIGKILL"),
  stopped: async ({ supervisor }) => void process.kill(supervisor.pidOf("postgres"), "SIGINT"),
};

/** Takes every connection there is for 5 s, those of the worker included, which are cut once the others are taken. */
async function fillConnections({ env }: Stack): Promise<void> {
  const held: Client[] = [];
  let fullAt = Number.POSITIVE_INFINITY;
  while (performance.now() < fullAt + HOLD_FULL_MS) {
    const client = new Client({ connectionString: env.DATABASE_URL, application_name: "filler" });
    client.on("error", () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    if (connected) held.push(client);
    else if (fullAt < Number.POSITIVE_INFINITY) await sleep(20);
    else {
      fullAt = performance.now();
      await held[0]?.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and application_name <> 'filler'",
      );
    }
  }
  console.log(`    held ${held.length} connections`);
  await Promise.all(held.map((client) => client.end()));
}

async function idle(rounds: number): Promise<void> {
  const stack = await start();
  const receiver = await Receiver.start();
  await receiver.behave("/hook", { secrets: [SECRET] });
  const created = await fetch(`http://127.0.0.1:${stack.supervisor.port}/v1/webhooks`, {
    method: "POST",
    headers: await headersOf(stack),
    body: JSON.stringify({ url: receiver.url("/hook"), events: ["exception.updated"], secret: SECRET }),
  });
  if (created.status !== 201) throw new Error(await created.text());
  const emit = () =>
    sql<{ id: string }>(stack, "insert into events (tenant_id, type, data) values ('acme', 'exception.updated', '{}') returning id").then(
      ([row]) => row?.id,
    );
  const tally: Record<string, { rounds: number; idle: number; unheard: number; ready: number; restarts: number }> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, interrupt] of Object.entries(INTERRUPTIONS)) {
      const counts = tally[name] ?? { rounds: 0, idle: 0, unheard: 0, ready: 0, restarts: 0 };
      tally[name] = counts;
      const worker = stack.supervisor.pidOf("worker");
      const noise = makeJobs(stack);
      await sleep(1_000);
      await interrupt(stack);
      await noise.end();
      await sleep(SETTLED_AFTER_MS);
      await until("the database to be back", () =>
        sql(stack, "select").then(
          () => true,
          () => false,
        ),
      );
      const ready = (await stack.supervisor.get("/readyz")) === 200;
      const [job] = await sql<{ id: string }>(
        stack,
        "select id from graphile_worker.add_job('announce_expiring_api_keys', priority => -1)",
      );
      const taken = await within(
        JOB_TAKEN_WITHIN_MS,
        async () => (await sql(stack, "select from graphile_worker.jobs where id = $1", [job?.id])).length === 0,
      );
      const id = await emit();
      const heard = await within(HEARD_WITHIN_MS, async () => receiver.at("/hook").some(({ headers }) => headers["webhook-id"] === id));
      counts.rounds++;
      counts.idle += Number(!taken);
      counts.unheard += Number(!heard);
      counts.ready += Number(ready && !taken);
      counts.restarts += Number(stack.supervisor.pidOf("worker") !== worker);
      console.log(
        `${name} ${round + 1}: job taken ${taken}, ring heard ${heard}, /readyz ${ready}, worker restarted ${stack.supervisor.pidOf("worker") !== worker}`,
      );
      const [left] = await sql<{ jobs: number; locked: number }>(
        stack,
        "select count(*)::integer as jobs, count(locked_at)::integer as locked from graphile_worker.jobs",
      );
      console.log("   ", left);
      if (!taken) {
        const stuck = stack.supervisor.pidOf("worker");
        process.kill(stuck, "SIGKILL");
        await until(
          "a new worker",
          async () => stack.supervisor.pidOf("worker") !== stuck && (await stack.supervisor.get("/readyz")) === 200,
        );
        await sleep(5_000);
      }
    }
  }
  console.table(tally);
  await receiver.stop();
  await stack.supervisor.end("SIGTERM");
}

/** Jobs that are being settled when the database goes. */
function makeJobs({ env }: Stack): { end: () => Promise<void> } {
  let over = false;
  const making = (async () => {
    while (!over) {
      const client = new Client({ connectionString: env.DATABASE_URL, connectionTimeoutMillis: 2_000, query_timeout: 5_000 });
      client.on("error", () => {});
      try {
        await client.connect();
        for (; !over; await sleep(100)) await client.query("select graphile_worker.add_job('purge_records') from generate_series(1, 3)");
      } catch {
        await sleep(50);
      }
      void client.end().catch(() => {});
    }
  })();
  return {
    async end() {
      over = true;
      await making;
    },
  };
}

async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await sleep(25)) {
    if (await holds().catch(() => false)) return true;
  }
  return false;
}

// ── orphans ──

const CALLS_PER_SECOND = 150;
const ENDED_WITHIN_MS = 5_000;
const START_WITHIN_MS = 180_000;

async function orphans(rounds: number): Promise<void> {
  let left = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const stack = await start();
    const { port } = stack.supervisor;
    const headers = await headersOf(stack);
    const calls = setInterval(() => void fetch(`http://127.0.0.1:${port}/v1/me`, { headers }).catch(() => {}), 1_000 / CALLS_PER_SECOND);
    await sleep(2_000);
    const pids = stack.supervisor.pids;
    await stack.supervisor.end("SIGKILL");
    const next = await Supervisor.start({ DATA_DIR: stack.dataDir, PORT: String(port) });
    setTimeout(() => clearInterval(calls), ENDED_WITHIN_MS);
    await until("the next start to be ready or to end", () => next.says("ready") || next.process.exitCode !== null, START_WITHIN_MS);
    const started = next.says("ready");
    await sleep(ENDED_WITHIN_MS);
    const alive = pids.filter(runs);
    left += Number(alive.length > 0);
    refused += Number(!started);
    console.log(`${round + 1}: ${alive.length} parts left, next start ${started ? "ready" : `refused: ${next.fatal}`}`);
    for (const pid of alive) process.kill(pid, "SIGKILL");
    if (started) await next.end("SIGTERM");
  }
  console.log(`parts left behind ${left} of ${rounds}, next start refused ${refused} of ${rounds}`);
}

// ── revocation ──

async function revocation(rounds: number): Promise<void> {
  const stack = await start({ AUTH_FAILURES_PER_MINUTE: "0" });
  const url = `http://127.0.0.1:${stack.supervisor.port}`;
  const headers = await headersOf(stack);
  const keys = `${url}/v1/tenants/acme/api-keys`;
  let accepted = 0;
  for (let round = 0; round < rounds; round++) {
    const made = await fetch(keys, { method: "POST", headers, body: JSON.stringify({ name: "drill", scopes: ["read:reconciliations"] }) });
    const { id, key_id, key_secret } = (await made.json()) as Record<string, string>;
    const use = { Authorization: `Bearer ${key_id}.${key_secret}`, "X-Tenant-Id": "acme" };
    // Lookups on their way while the key is revoked: the first use of a key asks the database.
    const revoked = fetch(`${keys}/${id}`, { method: "DELETE", headers, body: JSON.stringify({ reason: "drill" }) });
    await sleep(Math.random() * 8);
    const early = Array.from({ length: 4 }, () => fetch(`${url}/v1/me`, { headers: use }));
    await (await revoked).arrayBuffer();
    const { status } = await fetch(`${url}/v1/me`, { headers: use });
    accepted += Number(status === 200);
    await Promise.all(early.map(async (call) => (await call).arrayBuffer()));
  }
  console.log(`accepted after the answer to the revocation: ${accepted} of ${rounds}`);
  await stack.supervisor.end("SIGTERM");
}

// ── lanes ──

const EXCEPTIONS = 250_000;
const SEARCHES = 40;
const EXPORTS = 30;
const UPLOADS = 10;
const LISTENED_MS = 15_000;

async function lanes(rounds: number): Promise<void> {
  const stack = await start();
  const url = `http://127.0.0.1:${stack.supervisor.port}/v1/exceptions`;
  const mine = await headersOf(stack);
  const token = await new SignJWT({ sub: "gus", tenants: { globex: ["tenant_admin"] } })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("2h")
    .sign(new TextEncoder().encode(stack.env.AUTH_JWT_SECRET));
  const theirs = { Authorization: `Bearer ${token}`, "X-Tenant-Id": "globex" };
  for (const [tenant, count] of [
    ["acme", EXCEPTIONS],
    ["globex", 200],
  ] as const) {
    const insert = `insert into public.exceptions (tenant_id, title, severity, due_at, created_by)
       select $1, 'Payout ' || i || ' has no line of the bank that it could belong to', 'low', now() + interval '30 days', 'system'
       from generate_series(1, $2::integer) i`;
    await sql(stack, insert, [tenant, count]);
  }
  const words = Array.from({ length: 12 }, (_, n) => `w${n}`).join("+");
  const names = (count: number, length: number) => Array.from({ length: count }, (_, n) => `c${n}`.padEnd(length, "x"));
  const wide = `${names(38_000, 86).join(",")}\n`;
  const manyNames = JSON.stringify(Object.fromEntries(names(95_000, 6).map((name) => [name, 1])));
  const pressures: Record<string, () => Promise<Record<string, number>>> = {
    nothing: async () => ({}),
    searches: () => pressed(SEARCHES, () => fetch(`${url}?q=${words}`, { headers: mine })),
    exports: () => pressed(EXPORTS, () => fetch(`${url}/sla/export?format=ndjson`, { headers: mine })),
    "wide files": () =>
      pressed(UPLOADS, () => fetch(`${url}/import`, { method: "POST", headers: { ...mine, "Content-Type": "text/csv" }, body: wide })),
    "bodies of many names": () => pressed(UPLOADS, () => fetch(url, { method: "POST", headers: mine, body: manyNames })),
  };
  for (let round = 0; round < rounds; round++) {
    for (const [name, press] of Object.entries(pressures)) {
      over = false;
      const pressure = press();
      await sleep(1_000);
      const times: number[] = [];
      const refused: number[] = [];
      for (const until = performance.now() + LISTENED_MS; performance.now() < until; await sleep(20)) {
        const startedAt = performance.now();
        const answer = await fetch(url, { headers: theirs });
        await answer.arrayBuffer();
        if (answer.status !== 200) refused.push(answer.status);
        times.push(performance.now() - startedAt);
      }
      over = true;
      const pressed = await pressure;
      times.sort((a, b) => a - b);
      const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0);
      console.log(
        `${name} ${round + 1}: another's list p50 ${at(0.5)} p99 ${at(0.99)} ms of ${times.length}, not 200: ${refused.length}`,
        pressed,
      );
    }
  }
  await stack.supervisor.end("SIGTERM");
}

let over = false;

/** So many at once, again and again until it is over. @returns how often each status came. */
async function pressed(atOnce: number, call: () => Promise<Response>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const caller = async () => {
    while (!over) {
      const answer = await call();
      const reader = answer.body?.getReader();
      while (!over && !(await reader?.read())?.done) statuses.chunks = (statuses.chunks ?? 0) + 1;
      await reader?.cancel();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (answer.status === 429) await sleep(1_000);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return statuses;
}

const DRILLS: Record<string, { run: (rounds: number) => Promise<void>; rounds: number }> = {
  idle: { run: idle, rounds: 10 },
  orphans: { run: orphans, rounds: 12 },
  revocation: { run: revocation, rounds: 400 },
  lanes: { run: lanes, rounds: 2 },
};

const [name = "", rounds] = process.argv.slice(2);
const drill = DRILLS[name];
if (!drill) throw new Error(`Name a drill: ${Object.keys(DRILLS).join(", ")}.`);
await drill.run(Number(rounds ?? drill.rounds));
process.exit(0);
