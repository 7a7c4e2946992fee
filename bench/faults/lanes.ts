import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { creating } from "#e2e/exception-statements.ts";
import type { Target } from "./pressure.ts";
import { headersOf, type Stack, sql, start } from "./stack.ts";

const EXCEPTIONS = 250_000;
const MEASURED_MS = 15_000;
const PRESSURES = ["searches", "exports", "wide files", "bodies of many names"];
/** In production callers have their own processors; here they get a lower priority. */
const CALLER_NICENESS = 10;

/**
 * Repeats each pressure on a second stack, which shares only the processors with this one. That
 * cost is due to the machine, and any cost beyond it is due to the service.
 */
export async function lanes(rounds: number, only: string[]): Promise<void> {
  const [stack, elsewhere] = [await startFilledStack(), await startFilledStack()];
  const theirs = await headersOf(stack, "globex");
  for (let round = 1; round <= rounds; round++) {
    for (const name of only.length > 0 ? only : PRESSURES) {
      const measure = () => measureLatency(stack, theirs);
      const idle = await measure();
      const otherLoaded = await underPressure(name, elsewhere, measure);
      const loaded = await underPressure(name, stack, measure);
      const ratio = (figure: "p50" | "p99") =>
        (loaded.latency[figure] / Math.max(1, otherLoaded.latency[figure])).toFixed(2);
      console.log(
        [
          `${name} ${round}, another tenant's list without pressure: ${format(idle)}`,
          `  pressure on another stack: ${format(otherLoaded.latency)} ${otherLoaded.done}`,
          `  pressure on this stack: ${format(loaded.latency)} ${loaded.done}`,
          `  this stack against the other: p50 ${ratio("p50")}, p99 ${ratio("p99")}`,
        ].join("\n"),
      );
    }
  }
  await Promise.all([stack, elsewhere].map(({ supervisor }) => supervisor.end("SIGTERM")));
}

type Latency = { p50: number; p99: number; calls: number; refused: number };
const format = ({ p50, p99, calls, refused }: Latency) =>
  `p50 ${p50} p99 ${p99} ms of ${calls}, not 200: ${refused}`;

async function startFilledStack(): Promise<Stack> {
  const stack = await start();
  for (const [tenant, count] of [
    ["acme", EXCEPTIONS],
    ["globex", 200],
  ] as const) {
    const insert = creating(
      `'tenant_id', $1::text, 'title',
         'Payout ' || i || ' has no line of the bank that it could belong to', 'severity', 'low',
         'due_at', now() + interval '30 days', 'created_by', 'system'`,
      `generate_series(1, $2::integer) i`,
    );
    await sql(stack, insert, [tenant, count]);
  }
  await sql(stack, "vacuum analyze");
  return stack;
}

const urlOf = ({ supervisor }: Stack) => `http://127.0.0.1:${supervisor.port}/v1/exceptions`;

async function measureLatency(stack: Stack, headers: Record<string, string>): Promise<Latency> {
  const times: number[] = [];
  let refused = 0;
  for (const until = performance.now() + MEASURED_MS; performance.now() < until; await sleep(20)) {
    const startedAt = performance.now();
    const answer = await fetch(urlOf(stack), { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) refused++;
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), calls: times.length, refused };
}

async function underPressure(
  name: string,
  stack: Stack,
  measure: () => Promise<Latency>,
): Promise<{ latency: Latency; done: string }> {
  const pressure = startPressure(name, { url: urlOf(stack), headers: await headersOf(stack) });
  await sleep(1_000);
  const latency = await measure();
  return { latency, done: await pressure.end() };
}

function startPressure(name: string, target: Target): { end: () => Promise<string> } {
  const child = spawn(process.execPath, ["bench/faults/pressure.ts", name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.pid) setPriority(child.pid, CALLER_NICENESS);
  child.stdin.end(JSON.stringify(target));
  const printed = text(child.stdout);
  const exited = once(child, "exit");
  return {
    async end() {
      child.kill("SIGTERM");
      await exited;
      return (await printed).trim();
    },
  };
}
