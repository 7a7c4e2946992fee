/**
 * A greedy caller in a separate process, so that it slows down the server, not the measurement.
 * `node bench/faults/pressure.ts <what>` reads `{ url, headers }` from standard input. It ends on
 * SIGTERM and prints how often each status was returned.
 */
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const SEARCHES = 40;
const EXPORTS = 30;
const UPLOADS = 10;

export type Target = { url: string; headers: Record<string, string> };

const words = Array.from({ length: 12 }, (_, n) => `w${n}`).join("+");
const names = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `c${n}`.padEnd(length, "x"));
const wide = Buffer.from(`${names(38_000, 86).join(",")}\n`);
const manyNames = Buffer.from(
  JSON.stringify(Object.fromEntries(names(95_000, 6).map((name) => [name, 1]))),
);

const PRESSURES: Record<string, { atOnce: number; call: (target: Target) => Promise<Response> }> = {
  searches: {
    atOnce: SEARCHES,
    call: ({ url, headers }) => fetch(`${url}?q=${words}`, { headers }),
  },
  exports: {
    atOnce: EXPORTS,
    call: ({ url, headers }) => fetch(`${url}/sla/export?format=ndjson`, { headers }),
  },
  "wide files": {
    atOnce: UPLOADS,
    call: ({ url, headers }) =>
      fetch(`${url}/import`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "text/csv" },
        body: wide,
      }),
  },
  "bodies of many names": {
    atOnce: UPLOADS,
    call: ({ url, headers }) => fetch(url, { method: "POST", headers, body: manyNames }),
  },
};

const pressure = PRESSURES[process.argv[2] ?? ""];
if (!pressure) throw new Error(`Name a pressure: ${Object.keys(PRESSURES).join(", ")}.`);
const { atOnce, call } = pressure;
const target = JSON.parse(await text(process.stdin)) as Target;

let over = false;
process.once("SIGTERM", () => {
  over = true;
});

const counts: Record<string, number> = {};
async function caller(): Promise<void> {
  while (!over) {
    const answer = await call(target);
    const reader = answer.body?.getReader();
    while (!over && !(await reader?.read())?.done) counts.chunks = (counts.chunks ?? 0) + 1;
    await reader?.cancel();
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    if (answer.status === 429) await sleep(1_000);
  }
}
await Promise.all(Array.from({ length: atOnce }, caller));
console.log(JSON.stringify(counts));
process.exit(0);
