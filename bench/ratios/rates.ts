/** Rates of things that take turns in one run, so that a noisy machine is noisy for all of them. */
import { readFileSync } from "node:fs";

export type Side = {
  name: string;
  /** One of them. */
  once: () => Promise<unknown>;
  /** Of the process whose work is asked about. */
  pid?: number;
};

/** `cpu_us`: of that process for one, null where none is asked about. */
export type Rate = { name: string; per_second: number; lowest: number; highest: number; cpu_us: number | null };

const AT_ONCE = 16;
const ROUNDS = Number(process.env.BENCH_SHORT ? 3 : 7);
const ROUND_MS = process.env.BENCH_SHORT ? 800 : 2_000;
const WARM_MS = process.env.BENCH_SHORT ? 800 : 3_000;
/** USER_HZ of every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export async function rates(sides: Side[], { rounds = ROUNDS, roundMs = ROUND_MS, atOnce = AT_ONCE } = {}): Promise<Rate[]> {
  for (const side of sides) await run(side, WARM_MS, atOnce);
  const measured = sides.map(() => [] as { rate: number; cpu: number | null }[]);
  for (let round = 0; round < rounds; round++) {
    // Whoever goes first does so half of the time.
    const order = sides.map((_, index) => index);
    for (const index of round % 2 ? order.toReversed() : order) measured[index]?.push(await run(sides[index] as Side, roundMs, atOnce));
  }
  return sides.map(({ name, pid }, index) => {
    const found = measured[index] ?? [];
    const all = found.map(({ rate }) => rate);
    return {
      name,
      per_second: median(all),
      lowest: Math.min(...all),
      highest: Math.max(...all),
      cpu_us: pid === undefined ? null : median(found.map(({ cpu }) => cpu ?? Number.NaN)),
    };
  });
}

async function run({ once, pid }: Side, ms: number, atOnce: number): Promise<{ rate: number; cpu: number | null }> {
  const cpuBefore = pid === undefined ? 0 : cpuSeconds(pid);
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - startedAt < ms) {
        await once();
        done += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return { rate: done / seconds, cpu: pid === undefined ? null : ((cpuSeconds(pid) - cpuBefore) / done) * 1e6 };
}

/** What all its threads have used (proc(5)). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** In MiB, of a process. */
export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
