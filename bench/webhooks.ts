/**
 * Webhooks against the running stack (DATA_DIR, with WEBHOOK_ALLOW_HOSTS=127.0.0.1):
 *
 *   node bench/webhooks.ts [latency] [throughput]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { api, createTenant, database, sql, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { sign } from "#lib/webhooks/signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LATENCY_EVENTS = 500;
const LATENCY_PER_SECOND = 50;
const RECEIVERS = 10;
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 20_000);
const ROUNDS = 5;
/** What the caps let through at once for that many webhooks of one tenant. */
const AT_ONCE = 200;

type Told = { port: number } | { at: [id: string, at: number][] };

const receiver = fork(new URL("counting-receiver.ts", import.meta.url));
const arrived = new Map<string, number>();
const port = await new Promise<number>((listening) => {
  receiver.on("message", (told: Told) => {
    if ("port" in told) listening(told.port);
    else for (const [id, at] of told.at) if (!arrived.has(id)) arrived.set(id, at);
  });
});

const chosen = process.argv.slice(2);
if (chosen.length === 0 || chosen.includes("latency")) await latency();
if (chosen.length === 0 || chosen.includes("throughput")) await throughput();
receiver.disconnect();
await once(receiver, "exit");
await database.end();

/** From the commit of a breach to its receipt, at 50 a second. The receiver verifies each with the standardwebhooks package. */
async function latency(): Promise<void> {
  const tenant = await subscribe(["exception.sla.breached"], 1, "/verified");
  const committed = new Map<string, number>();
  const startedAt = performance.now();
  for (let n = 0; n < LATENCY_EVENTS; n++) {
    await sleep(Math.max(0, startedAt + (n * 1000) / LATENCY_PER_SECOND - performance.now()));
    void emit(tenant).then(({ id, at }) => committed.set(id, at));
  }
  await until(
    "every event has arrived",
    async () => committed.size === LATENCY_EVENTS && [...committed.keys()].every((id) => arrived.has(id)),
    60_000,
  );
  const times = [...committed].map(([id, at]) => (arrived.get(id) ?? 0) - at).sort((a, b) => a - b);
  const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1);
  console.log(
    `commit to receipt, ${LATENCY_EVENTS} events at ${LATENCY_PER_SECOND}/s: median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
  );
}

/** `at`: when the caller learnt of the commit. */
async function emit(tenant: string): Promise<{ id: string; at: number }> {
  const rows = await sql<{ id: string }>(
    "insert into events (tenant_id, type, data) values ($1, 'exception.sla.breached', $2) returning id",
    [tenant, sample()],
  );
  return { id: rows[0]?.id ?? "", at: performance.timeOrigin + performance.now() };
}

/** In turns, for the machine may not be ours alone; the medians count. */
async function throughput(): Promise<void> {
  const rounds: { bare: number; ours: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ bare: await bareLoop(), ours: await deliverAll() });
  const [bare, ours] = [median(rounds.map((round) => round.bare)), median(rounds.map((round) => round.ours))];
  const ratios = rounds.map((round) => (round.ours / round.bare).toFixed(2)).join(", ");
  console.log(`bare loop of signed POSTs, ${AT_ONCE} at once: ${bare.toFixed(0)}/s`);
  console.log(
    `${RECEIVERS} webhooks, from the insert to the last settlement: ${ours.toFixed(0)}/s, ratio ${(ours / bare).toFixed(2)} (rounds: ${ratios})`,
  );
}

/** Deliveries per second, the insert of the events included. */
async function deliverAll(): Promise<number> {
  const tenant = await subscribe(["exception.updated"], RECEIVERS, "/counted");
  await sql("insert into events (tenant_id, type, data) select $1, 'exception.updated', $2 from generate_series(1, $3::integer)", [
    tenant,
    sample(),
    DELIVERIES / RECEIVERS,
  ]);
  const open = "select from webhook_deliveries where tenant_id = $1 and status <> 'delivered' limit 1";
  await until("every delivery is settled", async () => (await sql(open, [tenant])).length === 0, 600_000);
  const [row] = await sql<{ seconds: number }>(
    "select extract(epoch from max(delivered_at) - min(created_at))::float8 as seconds from webhook_deliveries where tenant_id = $1",
    [tenant],
  );
  return DELIVERIES / (row?.seconds ?? Number.NaN);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function bareLoop(): Promise<number> {
  const sender = createSender(new Set(["127.0.0.1"]));
  const stop = new AbortController().signal;
  const body = `{"type":"exception.updated","timestamp":"2026-11-20T09:30:00.000Z","data":${sample()}}`;
  let left = DELIVERIES;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      while (left-- > 0) {
        const headers = sign(`evt_${left}`, Math.floor(Date.now() / 1000), body, [SECRET]);
        await sender.send({ url: `http://127.0.0.1:${port}/counted/${lane % RECEIVERS}`, body, headers }, stop);
      }
    }),
  );
  await sender.close();
  return (DELIVERIES / (performance.now() - startedAt)) * 1000;
}

async function subscribe(events: string[], count: number, path: string): Promise<string> {
  const tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_admin"]);
  for (let n = 0; n < count; n++) {
    const { status, text } = await api("POST", "/v1/webhooks", {
      bearer,
      tenant,
      body: { url: `http://127.0.0.1:${port}${path}/${n}`, events, secret: SECRET },
    });
    if (status !== 201) throw new Error(text);
  }
  return tenant;
}

/** As large as an exception. */
function sample(): string {
  return JSON.stringify({ id: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b", title: "Payout 4711 has no bank line", note: "x".repeat(400) });
}
