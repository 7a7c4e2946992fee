import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { sign } from "#lib/webhooks/signature.ts";
import { median, quantile, type Rate } from "./rates.ts";
import { type Finding, ratioOf, type Section } from "./report.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LATENCY_EVENTS = 500;
const LATENCY_PER_SECOND = 50;
const MAX_P50_MS = 10;
const MAX_P99_MS = 50;
const RECEIVERS = 10;
const DELIVERIES = 10_000;
const ROUNDS = 5;
/** What the caps allow at once for this number of webhooks of one tenant. */
const CONCURRENCY = 200;

type Receiver = { port: number; arrived: Map<string, number>; stop: () => Promise<void> };
type Message = { port: number } | { at: [id: string, at: number][] };

/**
 * Deliveries against a bare loop of signed POSTs to the same receiver, and from the commit of an
 * event to its receipt.
 */
export async function webhooks(): Promise<Section> {
  const receiver = await startReceiver();
  try {
    return {
      title: "4. Webhooks",
      how:
        `${DELIVERIES} deliveries to ${RECEIVERS} webhooks of one tenant, from the insert of ` +
        "their events to the last settlement, by one worker; the bare loop signs and sends as " +
        `many, ${CONCURRENCY} at once, with the same client. Commit to receipt: a breach of an SLA, ` +
        `${LATENCY_PER_SECOND} a second.`,
      findings: [await throughput(receiver), ...(await latency(receiver))],
    };
  } finally {
    await receiver.stop();
  }
}

async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL("counting-receiver.ts", import.meta.url));
  const arrived = new Map<string, number>();
  const port = await new Promise<number>((listening) => {
    child.on("message", (message: Message) => {
      if ("port" in message) listening(message.port);
      else for (const [id, at] of message.at) if (!arrived.has(id)) arrived.set(id, at);
    });
  });
  return {
    port,
    arrived,
    async stop() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Measures both in turns, and compares the medians. */
async function throughput(receiver: Receiver): Promise<Finding> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await bareLoop(receiver));
    ours.push(await deliverAll(receiver));
  }
  return ratioOf(
    "deliveries",
    rateOf("service", ours),
    rateOf("bare loop of signed POSTs", bare),
    0.6,
  );
}

function rateOf(name: string, rounds: number[]): Rate {
  return {
    name,
    perSecond: median(rounds),
    lowest: Math.min(...rounds),
    highest: Math.max(...rounds),
    cpuUs: null,
  };
}

/**
 * From the commit of a breach to its receipt. The receiver verifies each with the standardwebhooks
 * package.
 */
async function latency(receiver: Receiver): Promise<Finding[]> {
  const tenant = await subscribe(receiver, ["exception.sla.breached"], 1, "/verified");
  const committed = new Map<string, number>();
  const startedAt = performance.now();
  for (let n = 0; n < LATENCY_EVENTS; n++) {
    await sleep(Math.max(0, startedAt + (n * 1000) / LATENCY_PER_SECOND - performance.now()));
    void emit(tenant).then(({ id, at }) => committed.set(id, at));
  }
  await until(
    "every event has arrived",
    async () =>
      committed.size === LATENCY_EVENTS &&
      [...committed.keys()].every((id) => receiver.arrived.has(id)),
    60_000,
  );
  const times = [...committed].map(([id, at]) => (receiver.arrived.get(id) ?? 0) - at);
  const finding = (name: string, share: number, max: number): Finding => {
    const ms = quantile(times, share);
    return {
      name,
      ours: `${ms.toFixed(1)} ms`,
      against: "",
      figure: `${ms.toFixed(1)} ms`,
      target: `≤ ${max} ms`,
      met: ms <= max,
    };
  };
  return [
    finding("commit to receipt, median", 0.5, MAX_P50_MS),
    finding("commit to receipt, p99", 0.99, MAX_P99_MS),
  ];
}

/** `at`: when the caller learnt of the commit. */
async function emit(tenant: string): Promise<{ id: string; at: number }> {
  const rows = await sql<{ id: string }>(
    `insert into events (tenant_id, type, data) values ($1, 'exception.sla.breached', $2)
     returning id`,
    [tenant, sample()],
  );
  return { id: rows[0]?.id ?? "", at: performance.timeOrigin + performance.now() };
}

/** Deliveries per second, the insert of the events included. */
async function deliverAll(receiver: Receiver): Promise<number> {
  const tenant = await subscribe(receiver, ["exception.updated"], RECEIVERS, "/counted");
  await sql(
    `insert into events (tenant_id, type, data) select $1, 'exception.updated', $2
     from generate_series(1, $3::integer)`,
    [tenant, sample(), DELIVERIES / RECEIVERS],
  );
  const open =
    "select from webhook_deliveries where tenant_id = $1 and status <> 'delivered' limit 1";
  await until(
    "every delivery is settled",
    async () => (await sql(open, [tenant])).length === 0,
    600_000,
  );
  const [row] = await sql<{ seconds: number }>(
    `select extract(epoch from max(delivered_at) - min(created_at))::float8 as seconds
     from webhook_deliveries where tenant_id = $1`,
    [tenant],
  );
  return DELIVERIES / (row?.seconds ?? Number.NaN);
}

async function bareLoop({ port }: Receiver): Promise<number> {
  const sender = createSender(new Set(["127.0.0.1"]));
  const stop = new AbortController().signal;
  const body = `{"type":"exception.updated","timestamp":"2026-11-20T09:30:00.000Z","data":${sample()}}`;
  let left = DELIVERIES;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async (_, lane) => {
      while (left-- > 0) {
        const headers = sign(`evt_${left}`, Math.floor(Date.now() / 1000), body, [SECRET]);
        await sender.send(
          { url: `http://127.0.0.1:${port}/counted/${lane % RECEIVERS}`, body, headers },
          stop,
        );
      }
    }),
  );
  await sender.close();
  return (DELIVERIES / (performance.now() - startedAt)) * 1000;
}

async function subscribe(
  { port }: Receiver,
  events: string[],
  count: number,
  path: string,
): Promise<string> {
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

/** The data of an event, as large as an exception. */
function sample(): string {
  return JSON.stringify({
    id: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    title: "Payout 4711 has no bank line",
    note: "x".repeat(400),
  });
}
