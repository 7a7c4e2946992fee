import { existsSync, readFileSync } from "node:fs";

const PRESSURE_FILES = ["/proc/pressure/cpu", "/proc/pressure/io"];

/**
 * The milliseconds since boot in which processes on this machine waited for a processor or the
 * disk, or 0 if the kernel doesn't report them.
 */
function waitedMs(): number {
  const totals = PRESSURE_FILES.filter(existsSync).map(
    (file) => /^some .*total=(\d+)/m.exec(readFileSync(file, "utf8"))?.[1],
  );
  return totals.reduce((sum, microseconds) => sum + Number(microseconds ?? 0) / 1_000, 0);
}

/**
 * @returns a function that returns the milliseconds for which this machine has delayed processes
 * since then. Tests extend time limits by them.
 */
export function underCpuPressure(): () => number {
  const before = waitedMs();
  return () => waitedMs() - before;
}
