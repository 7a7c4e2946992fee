import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "#e2e/stack/project.ts";
import { Supervisor } from "#e2e/stack/supervisor.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { call, Writers } from "./writers.ts";

const SIZE = "600m";
const RECOVERED_TIMEOUT_MS = 120_000;

const disk = mkdtempSync(join(tmpdir(), "tieout-disk-"));
/** Only root can mount. */
const isMounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", disk]).status === 0;
const filler = join(disk, "filler");

let stack: Supervisor;
let project: Project;
let receiver: Receiver;

beforeAll(async () => {
  if (!isMounted) return;
  // Postgres does not run as root.
  spawnSync("chmod", ["a+rx", disk]);
  const dataDir = join(disk, "data");
  receiver = await Receiver.start();
  stack = await Supervisor.ready({
    DATA_DIR: dataDir,
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
  });
  project = new Project(stack, dataDir);
});
afterAll(async () => {
  if (isMounted) {
    await stack.end("SIGTERM");
    await receiver.stop();
    spawnSync("umount", ["-l", disk]);
  }
  rmSync(disk, { recursive: true, force: true });
});

/** Fills the disk completely. */
function fill(): void {
  const file = openSync(filler, "w");
  for (let bytes = 1 << 20; bytes >= 4096; bytes >>= 1) {
    const block = Buffer.alloc(bytes);
    try {
      while (writeSync(file, block) === bytes);
    } catch {
      // A smaller block may still have room.
    }
  }
  closeSync(file);
}

test.skipIf(!isMounted)(
  "a database with a full disk refuses writes, loses nothing, and continues when there is room",
  async () => {
    const url = `http://127.0.0.1:${stack.port}`;
    const writers = await Writers.start({ name: "full", count: 4, url, project, receiver });
    await writers.makeMore(10);
    fill();
    const refused = () => writers.responses.filter(({ status }) => status === 503).length;
    await until("writes to be refused", () => refused() > 10, 180_000);
    expect((await call(`${url}/healthz`)).status).toBe(200);
    rmSync(filler);
    const since = performance.now();
    await writers.makeMore(20, RECOVERED_TIMEOUT_MS);
    await until(
      "the service to be ready",
      async () => (await call(`${url}/readyz`)).status === 200,
      RECOVERED_TIMEOUT_MS,
    );
    const recoveredMs = performance.now() - since;
    await writers.end();
    await writers.expectNothingLost();
    expect([...new Set(writers.responses.map(({ status }) => status))].sort()).toEqual([201, 503]);
    console.log(
      `full disk: ${writers.responses.length} calls, ${refused()} refused, ` +
        `${writers.written.length} acknowledged, lost 0, doubled 0; back after ` +
        `${Math.round(recoveredMs)} ms`,
    );
  },
);
