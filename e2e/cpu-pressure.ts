import { existsSync, readFileSync } from "node:fs";

const WAITED_FOR = ["/proc/pressure/cpu", "/proc/pressure/io"];

/** Milliseconds in which something on this machine waited for a processor or for the disk, since it started; 0 where its kernel doesn't say. */
function waitedMs(): number {
  const totals = WAITED_FOR.filter(existsSync).map(
    (file) => /^some .*total=(\d+)/m.exec(readFileSync(file, "utf8"))?.[1],
  );
  return totals.reduce((sum, microseconds) => sum + Number(microseconds ?? 0) / 1_000, 0);
}

/** @returns a function that says for how many milliseconds this machine has held up what runs on it since: what bounds allow a busy one. */
export function underCpuPressure(): () => number {
  const before = waitedMs();
  return () => waitedMs() - before;
}
