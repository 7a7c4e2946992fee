/**
 * Runs a stack on the DATA_DIR and PORT of the environment, and deletes its data at the end: `node
 * e2e/stack-process.ts <log file>`.
 */
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const [, , logFile] = process.argv;
const { DATA_DIR } = process.env;
if (!logFile || !DATA_DIR) throw new Error("Give a log file, and DATA_DIR.");
mkdirSync(dirname(logFile), { recursive: true });

// The supervisor stops when the channel closes, even if this process is killed.
const supervisor = spawn(
  process.execPath,
  [fileURLToPath(new URL("../supervisor/main.ts", import.meta.url))],
  {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    detached: true,
  },
);
supervisor.stdout?.pipe(createWriteStream(logFile));
const stop = () => supervisor.kill("SIGTERM");
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
// The parent holds a channel or, like Playwright, the other end of stdin, and may be killed.
if (process.channel) process.on("disconnect", stop);
else process.stdin.once("end", stop).resume();
supervisor.once("exit", (code, signal) => {
  rmSync(DATA_DIR, { recursive: true, force: true });
  if (code !== 0)
    console.error(`The stack under test ended with ${signal ?? code}: see ${logFile}.`);
  process.exit(signal ? 1 : (code ?? 1));
});
