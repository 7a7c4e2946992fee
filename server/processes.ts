/** `WEB_CONCURRENCY` web processes on one port. This one hands their connections out in turn and counts for their limits. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import { log } from "#lib/runtime/log.ts";

const count = Number(process.env.WEB_CONCURRENCY);
const AGAIN_AFTER_MS = 500;

cluster.schedulingPolicy = cluster.SCHED_RR;
new RateLimiterClusterMaster();
cluster.setupPrimary({ exec: fileURLToPath(new URL("main.ts", import.meta.url)) });

const serving = new Set<Worker>();
const listening = new WeakSet<Worker>();
let stopping = false;
let rolling = Promise.resolve();

/** Resolves when it takes connections, or has ended instead: whether it does. Where it ends unasked another takes its place. */
async function add(): Promise<boolean> {
  const web = cluster.fork();
  serving.add(web);
  web.once("exit", async (code, signal) => {
    if (!serving.delete(web) || stopping) return;
    log.error(
      { pid: web.process.pid, code, signal },
      "a web process ended, another takes its place",
    );
    await sleep(AGAIN_AFTER_MS);
    if (!stopping) void add();
  });
  web.once("listening", () => listening.add(web));
  await Promise.race([once(web, "listening"), once(web, "exit")]);
  return listening.has(web) && !web.isDead();
}

/** Gives it no more connections, and lets it answer those it has. One that has none yet may not hear of it. */
async function retire(web: Worker): Promise<void> {
  serving.delete(web);
  const gone = once(web, "exit");
  if (listening.has(web)) web.disconnect();
  else web.process.kill("SIGKILL");
  await gone;
}

/** The new one first, so that there are never fewer. One that ended meanwhile has been replaced already. */
async function replaceEach(): Promise<void> {
  for (const old of [...serving]) {
    if (!serving.has(old)) continue;
    if (!(await add()))
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

await Promise.all(Array.from({ length: count }, add));
process.send?.("ready");
