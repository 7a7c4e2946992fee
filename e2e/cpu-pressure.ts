import { existsSync, readFileSync } from "node:fs";

const WAITED_FOR = ["/proc/pressure/cpu", "/proc/pressure/io"];

/**
 * The milliseconds since start in which something on this machine waited for a processor or the
 * disk; 0 if the kernel doesn't report it.
 */
function waitedMs(): number {
  const totals = WAITED_FOR.filter(existsSync).map(
    (file) => /^some .*total=(\d+)/m.exec(readFileSync(file, "utf8"))?.[1],
  );
  return totals.reduce((sum, microseconds) => sum + Number(microseconds ?? 0) / 1_000, 0);
}

/**
 * @returns a function that returns the milliseconds for which this machine has delayed processes
 * since; time limits are extended by them.
 */
export function underCpuPressure(): () => number {
  const before = waitedMs();
  return () => waitedMs() - before;
}
