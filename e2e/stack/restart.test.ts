import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { type PartName, runs, Supervisor } from "./supervisor.ts";

let stack: Supervisor;
beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR: freshDataDir() });
});
afterAll(() => stack.end("SIGTERM"));

// The Data API last: the service is ready without it, and its start needs the database.
test.each<PartName>(["web", "matcher", "worker", "postgres", "data-api"])(
  "a killed %s is started again and the service is ready",
  async (part) => {
    const before = stack.pids;
    const killed = stack.pidOf(part);

    process.kill(killed, "SIGKILL");
    await until(`${part} to be started again`, () => stack.pidOf(part) !== killed);
    await until("the service to be ready", async () => (await stack.get("/readyz")) === 200);

    expect(stack.says(`${part} exited, restarting`)).toBe(true);
    expect(before.filter(runs)).toEqual(before.filter((pid) => pid !== killed));
  },
);
