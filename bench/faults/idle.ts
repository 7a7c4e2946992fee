import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { headersOf, type Stack, sql, start } from "./stack.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOLD_FULL_MS = 5_000;
const SETTLED_AFTER_MS = 25_000;
const JOB_TAKEN_TIMEOUT_MS = 5_000;
const NOTIFY_TIMEOUT_MS = 1_500;

const INTERRUPTIONS: Record<string, (stack: Stack) => Promise<void>> = {
  full: fillConnections,
  killed: async ({ supervisor }) => void process.kill(supervisor.pidOf("postgres"), "SIGKILL"),
  stopped: async ({ supervisor }) => void process.kill(supervisor.pidOf("postgres"), "SIGINT"),
};

/**
 * Holds every connection for 5 s, including those of the worker, which are cut once all others are
 * held.
 */
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
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user
           and application_name <> 'filler'`,
      );
    }
  }
  console.log(`    held ${held.length} connections`);
  await Promise.all(held.map((client) => client.end()));
}

export async function idle(rounds: number): Promise<void> {
  const stack = await start();
  const receiver = await Receiver.start();
  await receiver.behave("/hook", { secrets: [SECRET] });
  const created = await fetch(`http://127.0.0.1:${stack.supervisor.port}/v1/webhooks`, {
    method: "POST",
    headers: await headersOf(stack),
    body: JSON.stringify({
      url: receiver.url("/hook"),
      events: ["exception.updated"],
      secret: SECRET,
    }),
  });
  if (created.status !== 201) throw new Error(await created.text());
  const emit = () =>
    sql<{ id: string }>(
      stack,
      `insert into events (tenant_id, type, data) values ('acme', 'exception.updated', '{}')
       returning id`,
    ).then(([row]) => row?.id);
  const tally: Record<
    string,
    { rounds: number; idle: number; unheard: number; ready: number; restarts: number }
  > = {};
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
        JOB_TAKEN_TIMEOUT_MS,
        async () =>
          (await sql(stack, "select from graphile_worker.jobs where id = $1", [job?.id])).length ===
          0,
      );
      const id = await emit();
      const received = await within(NOTIFY_TIMEOUT_MS, async () =>
        receiver.at("/hook").some(({ headers }) => headers["webhook-id"] === id),
      );
      counts.rounds++;
      counts.idle += Number(!taken);
      counts.unheard += Number(!received);
      counts.ready += Number(ready && !taken);
      counts.restarts += Number(stack.supervisor.pidOf("worker") !== worker);
      console.log(
        `${name} ${round + 1}: job taken ${taken}, ring received ${received}, /readyz ${ready}, ` +
          `worker restarted ${stack.supervisor.pidOf("worker") !== worker}`,
      );
      const [left] = await sql<{ jobs: number; locked: number }>(
        stack,
        `select count(*)::integer as jobs, count(locked_at)::integer as locked
         from graphile_worker.jobs`,
      );
      console.log("   ", left);
      if (!taken) {
        const stuck = stack.supervisor.pidOf("worker");
        process.kill(stuck, "SIGKILL");
        await until(
          "a new worker",
          async () =>
            stack.supervisor.pidOf("worker") !== stuck &&
            (await stack.supervisor.get("/readyz")) === 200,
        );
        await sleep(5_000);
      }
    }
  }
  console.table(tally);
  await receiver.stop();
  await stack.supervisor.end("SIGTERM");
}

/** Keeps adding jobs, so that some are being completed when the database stops. */
function makeJobs({ env }: Stack): { end: () => Promise<void> } {
  let isOver = false;
  const adding = (async () => {
    while (!isOver) {
      const client = new Client({
        connectionString: env.DATABASE_URL,
        connectionTimeoutMillis: 2_000,
        query_timeout: 5_000,
      });
      client.on("error", () => {});
      try {
        await client.connect();
        for (; !isOver; await sleep(100))
          await client.query(
            "select graphile_worker.add_job('purge_records') from generate_series(1, 3)",
          );
      } catch {
        await sleep(50);
      }
      void client.end().catch(() => {});
    }
  })();
  return {
    async end() {
      isOver = true;
      await adding;
    },
  };
}

async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await sleep(25)) {
    if (await holds().catch(() => false)) return true;
  }
  return false;
}
