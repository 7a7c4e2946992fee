import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRODUCT } from "../lib/wire/product.ts";
import { SettingsError } from "./settings.ts";

/**
 * Creates the data directory if necessary, and makes this process its only supervisor. The lock of
 * a dead supervisor is taken over.
 */
export function lockDataDir(dataDir: string): { release: () => void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const file = join(dataDir, "supervisor.pid");
  for (const last of [false, true]) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const pid = Number(readFileSync(file, "utf8"));
      if (last || isSupervisor(pid)) {
        throw new SettingsError(
          `${PRODUCT} is already running on ${dataDir} (process ${pid}). ` +
            "Stop it, or set another DATA_DIR.",
        );
      }
      rmSync(file, { force: true });
    }
  }
  throw new Error("unreachable");
}

/** The process ID in a stale file may belong to any program by now. */
function isSupervisor(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return (
    !existsSync("/proc/self") ||
    (existsSync(commandLine) && readFileSync(commandLine, "utf8").includes("supervisor/main.ts"))
  );
}
