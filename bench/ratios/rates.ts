/** Measures rates in turns within one run, so that a noisy machine affects all of them. */
import { existsSync, readFileSync } from "node:fs";

export type Side = {
  name: string;
  /** Makes one call. */
  once: () => Promise<unknown>;
  /** The process whose CPU time is measured. */
  pid?: number;
};

/**
 * Medians of rounds, per second. `cpuUs`: CPU time per call of the process and its children; null
 * if it is not measured.
 */
export type Rate = {
  name: string;
  perSecond: number;
  lowest: number;
  highest: number;
  cpuUs: number | null;
};

const CONCURRENCY = 16;
const ROUNDS = 7;
const ROUND_MS = 1_500;
const WARM_MS = 3_000;
/** USER_HZ of every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export async function rates(
  sides: Side[],
  { rounds = ROUNDS, roundMs = ROUND_MS, atOnce = CONCURRENCY } = {},
): Promise<Rate[]> {
  for (const side of sides) await round(side, WARM_MS, atOnce);
  const measured = sides.map(() => [] as { rate: number; cpu: number | null }[]);
  for (let turn = 0; turn < rounds; turn++) {
    // Each side goes first half of the time.
    const order = sides.map((_, index) => index);
    for (const index of turn % 2 ? order.toReversed() : order)
      measured[index]?.push(await round(sides[index] as Side, roundMs, atOnce));
  }
  return sides.map(({ name, pid }, index) => {
    const found = measured[index] ?? [];
    const all = found.map(({ rate }) => rate);
    return {
      name,
      perSecond: median(all),
      lowest: Math.min(...all),
      highest: Math.max(...all),
      cpuUs: pid === undefined ? null : median(found.map(({ cpu }) => cpu ?? Number.NaN)),
    };
  });
}

async function round(
  { once, pid }: Side,
  ms: number,
  atOnce: number,
): Promise<{ rate: number; cpu: number | null }> {
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
  return {
    rate: done / seconds,
    cpu: pid === undefined ? null : ((cpuSeconds(pid) - cpuBefore) / done) * 1e6,
  };
}

/** The CPU time of all threads of a process and its children (proc(5)). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const ownSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), ownSeconds);
}

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
}

/** The resident memory of a process, in MiB (proc(5)). */
export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
