import { spawn } from "node:child_process";

const WAIT_THEN_INTERRUPT = `trap '' INT TERM HUP; read -r _; kill -INT "$1" 2>/dev/null`;

/** Interrupts a process when ours ends, however it ends: the pipe to the waiting shell closes with us. */
export function holdLifeline(pid: number): () => void {
  const shell = spawn("sh", ["-c", WAIT_THEN_INTERRUPT, "lifeline", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => {});
  return () => shell.kill("SIGKILL");
}
