import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freePort } from "../../supervisor/ports.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_TIMEOUT_MS = 800_000;

const folder = mkdtempSync(join(tmpdir(), "tieout-clone-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a fresh clone of the commit starts by npm start alone, without packages for development", {
  timeout: 900_000,
}, async () => {
  execFileSync("git", ["clone", "--quiet", ROOT, folder]);
  const port = await freePort();
  const started = spawn("npm", ["start"], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      DATA_DIR: join(folder, "data"),
    },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  try {
    await until(
      "the service to be ready",
      async () => {
        if (started.exitCode !== null) throw new Error("npm start ended.");
        return (await statusOf("/readyz")) === 200;
      },
      START_TIMEOUT_MS,
    );
    expect(existsSync(join(folder, "node_modules/vitest"))).toBe(false);
    expect(await Promise.all(["/", "/docs", "/v1/me"].map(statusOf))).toEqual([200, 200, 401]);
  } finally {
    process.kill(-(started.pid ?? Number.NaN), "SIGTERM");
    await once(started, "exit");
  }
});
