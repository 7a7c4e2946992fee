import { setTimeout as sleep } from "node:timers/promises";
import { runs, Supervisor } from "#e2e/stack/supervisor.ts";
import { until } from "#e2e/until.ts";
import { headersOf, start } from "./stack.ts";

const CALLS_PER_SECOND = 150;
const ENDED_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 180_000;

export async function orphans(rounds: number): Promise<void> {
  let left = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const stack = await start();
    const { port } = stack.supervisor;
    const headers = await headersOf(stack);
    const calls = setInterval(
      () => void fetch(`http://127.0.0.1:${port}/v1/me`, { headers }).catch(() => {}),
      1_000 / CALLS_PER_SECOND,
    );
    await sleep(2_000);
    const pids = stack.supervisor.pids;
    await stack.supervisor.end("SIGKILL");
    const next = await Supervisor.start({ DATA_DIR: stack.dataDir, PORT: String(port) });
    setTimeout(() => clearInterval(calls), ENDED_TIMEOUT_MS);
    await until(
      "the next start to be ready or to end",
      () => next.says("ready") || next.process.exitCode !== null,
      START_TIMEOUT_MS,
    );
    const started = next.says("ready");
    await sleep(ENDED_TIMEOUT_MS);
    const alive = pids.filter(runs);
    left += Number(alive.length > 0);
    refused += Number(!started);
    console.log(
      `${round + 1}: ${alive.length} parts left, next start ${started ? "ready" : `refused: ${next.fatal}`}`,
    );
    for (const pid of alive) process.kill(pid, "SIGKILL");
    if (started) await next.end("SIGTERM");
  }
  console.log(`parts left behind ${left} of ${rounds}, next start refused ${refused} of ${rounds}`);
}
