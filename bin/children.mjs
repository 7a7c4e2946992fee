const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const running = new Set();
let interrupted = false;

/**
 * Passes our termination signals on to the child and exits after it, so that an interrupted run
 * leaves no process behind.
 */
export function tieToParent(child) {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, passOn);
  running.add(child);
  child.once("error", () => child.pid === undefined && ended(child));
  child.once("close", () => ended(child));
}

function passOn(signal) {
  interrupted = true;
  for (const child of running) child.kill(signal);
}

function ended(child) {
  running.delete(child);
  if (running.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, passOn);
  if (interrupted) process.exit(1);
}
