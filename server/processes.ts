/**
 * Runs `WEB_CONCURRENCY` web processes on one port. This process distributes the connections among
 * them and keeps the counts of their rate limits.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import { log } from "#lib/runtime/log.ts";

const count = Number(process.env.WEB_CONCURRENCY);
const RESTART_DELAY_MS = 500;

cluster.schedulingPolicy = cluster.SCHED_RR;
new RateLimiterClusterMaster();
cluster.setupPrimary({ exec: fileURLToPath(new URL("main.ts", import.meta.url)) });

const serving = new Set<Worker>();
const listening = new WeakSet<Worker>();
let stopping = false;
let rolling = Promise.resolve();

/**
 * Starts a web process. Resolves to true when it listens, and to false if it exited before. A
 * process that exits unexpectedly is replaced.
 */
async function startProcess(): Promise<boolean> {
  const web = cluster.fork();
  serving.add(web);
  web.once("exit", async (code, signal) => {
    if (!serving.delete(web) || stopping) return;
    log.error(
      { pid: web.process.pid, code, signal },
      "a web process ended, another takes its place",
    );
    await sleep(RESTART_DELAY_MS);
    if (!stopping) void startProcess();
  });
  web.once("listening", () => listening.add(web));
  await Promise.race([once(web, "listening"), once(web, "exit")]);
  return listening.has(web) && !web.isDead();
}

/**
 * Stops new connections to a process and waits for its running requests. A process that isn't
 * listening yet may miss the message, so it is killed.
 */
async function retire(web: Worker): Promise<void> {
  serving.delete(web);
  const exited = once(web, "exit");
  if (listening.has(web)) web.disconnect();
  else web.process.kill("SIGKILL");
  await exited;
}

/**
 * Replaces all processes. Each replacement starts before its old process stops, so that there are
 * never fewer. An old process that exited by itself has already been replaced.
 */
async function replaceEach(): Promise<void> {
  for (const old of [...serving]) {
    if (!serving.has(old)) continue;
    if (!(await startProcess()))
      return log.error({}, "a new web process does not start, those that serve go on");
    if (serving.has(old)) await retire(old);
  }
  log.info({ processes: serving.size }, "web processes replaced");
}

process.on("SIGUSR2", () => {
  rolling = rolling.then(replaceEach);
});
process.once("SIGTERM", async () => {
  stopping = true;
  await Promise.all([...serving].map(retire));
  process.exit(0);
});

await Promise.all(Array.from({ length: count }, startProcess));
process.send?.("ready");
