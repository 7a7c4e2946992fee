import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { lowerBackendPriority } from "./lower-priority.ts";

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

const BACKEND = `
  process.title = "postgres: matcher tieout 127.0.0.1(40123) idle";
  process.stdout.write("ready");
  process.stdin.resume();
`;

test.runIf(process.platform === "linux")(
  "only the Postgres process of the connection gets a lower priority",
  async () => {
    const backend = spawn(process.execPath, ["-e", BACKEND]);
    await once(backend.stdout, "data");
    const pid = backend.pid as number;
    lowerBackendPriority(pid, 4012);
    lowerBackendPriority(process.pid, 40123);
    expect([getPriority(pid), getPriority()]).toEqual([getPriority(), getPriority()]);
    lowerBackendPriority(pid, 40123);
    expect(getPriority(pid)).toBe(
      Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL),
    );
    backend.kill();
  },
);
