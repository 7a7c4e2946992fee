import { spawn } from "node:child_process";

/** Waits for the name of what it holds, then for the end of the pipe, which is ours. */
const WAIT_THEN_SIGNAL = `trap '' INT TERM HUP; read -r held || exit; read -r _; kill -s "$1" -- "$held" 2>/dev/null`;

/**
 * Signals a process when ours ends, however it ends, and whatever that process is busy with: the pipe to the waiting shell
 * closes with us. Made before the process, so that there is no moment without it.
 */
export function lifeline(signal: "INT" | "KILL"): {
  hold: (pid: number) => void;
  release: () => void;
} {
  const shell = spawn("sh", ["-c", WAIT_THEN_SIGNAL, "lifeline", signal], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  return {
    /** @param pid of a process, or the negative of a process group's */
    hold: (pid) => shell.stdin.write(`${pid}\n`),
    release: () => shell.kill("SIGKILL"),
  };
}
