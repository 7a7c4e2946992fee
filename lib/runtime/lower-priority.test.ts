import { once } from "node:events";
import { constants, getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

const THREAD = `
  import { readlinkSync } from "node:fs";
  import { getPriority } from "node:os";
  import { basename } from "node:path";
  import { parentPort } from "node:worker_threads";
  import { lowerPriority } from ${JSON.stringify(import.meta.resolve("./lower-priority.ts"))};
  lowerPriority();
  parentPort.postMessage(getPriority(Number(basename(readlinkSync("/proc/thread-self")))));
`;

test.runIf(process.platform === "linux")(
  "a thread of lower priority runs after the thread that serves requests",
  async () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`));
    const [priority] = await once(worker, "message");
    expect(priority).toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
    expect(getPriority()).toBeLessThanOrEqual(priority);
    await worker.terminate();
  },
);
