/**
 * Calls per second through the SDK against bare fetch, side by side in one process:
 *
 *   node bench/sdk.ts
 *
 * By default against a server in another process that answers from memory. With TIEOUT_URL,
 * TIEOUT_TENANT and TIEOUT_TOKEN against a running service.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Tieout } from "../sdk/typescript/src/index.ts";

const CONCURRENCY = 16;
const ROUND_MS = 1_000;
const ROUNDS = 11;
const PAGE = JSON.stringify({
  items: Array.from({ length: 50 }, (_, id) => ({ id: `exc_${id}`, title: "Payout 4711" })),
  next_cursor: null,
});

if (process.argv[2] === "--server") serve();
else await measure();

function serve(): void {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(PAGE);
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function measure(): Promise<void> {
  const { TIEOUT_URL, TIEOUT_TENANT = "acme", TIEOUT_TOKEN = "id.secret" } = process.env;
  const child = TIEOUT_URL ? undefined : fork(import.meta.filename, ["--server"]);
  const port = child ? (await once(child, "message"))[0] : undefined;
  const baseUrl = TIEOUT_URL ?? `http://127.0.0.1:${port}`;
  const tieout = new Tieout({ key: TIEOUT_TOKEN, tenant: TIEOUT_TENANT, baseUrl });
  const headers = { Authorization: `Bearer ${TIEOUT_TOKEN}`, "X-Tenant-Id": TIEOUT_TENANT };
  const bySdk = () => tieout.exceptions.list({ limit: 50 }).page();
  const byFetch = async () => {
    const response = await fetch(`${baseUrl}/v1/exceptions?limit=50`, { headers });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  await rate(bySdk);
  await rate(byFetch);
  const rounds: { sdk: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await rate(round % 2 === 0 ? bySdk : byFetch);
    const second = await rate(round % 2 === 0 ? byFetch : bySdk);
    rounds.push(round % 2 === 0 ? { sdk: first, bare: second } : { sdk: second, bare: first });
  }
  child?.kill();
  const sdk = median(rounds.map((round) => round.sdk));
  const bare = median(rounds.map((round) => round.bare));
  const ratio = median(rounds.map((round) => round.sdk / round.bare));
  console.log(`SDK ${sdk.toFixed(0)}/s, bare fetch ${bare.toFixed(0)}/s: ${ratio.toFixed(3)}`);
}

async function rate(call: () => PromiseLike<unknown>): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const work = async () => {
    for (; performance.now() - startedAt < ROUND_MS; calls += 1) await call();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return (calls * 1000) / (performance.now() - startedAt);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
