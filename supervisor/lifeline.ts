import { spawn } from "node:child_process";

/**
 * Reads the PID to signal, then waits for the end of the pipe, which closes when our process ends.
 */
const WAIT_THEN_SIGNAL = `trap '' INT TERM HUP; read -r held || exit; read -r _; kill -s "$1" -- "$held" 2>/dev/null`;

/**
 * Signals a process when ours ends, even if ours is killed or the other process hangs: a shell
 * waits on a pipe that closes with our process. The shell is started before the process, so that
 * the process never runs without it.
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
    /** @param pid of a process, or the negative ID of a process group */
    hold: (pid) => shell.stdin.write(`${pid}\n`),
    release: () => shell.kill("SIGKILL"),
  };
}
