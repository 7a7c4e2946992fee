import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { KINDS, type Kind, Machines } from "#e2e/stack/machines.ts";
import { vitest } from "../../bin/suites.mjs";

/** Between one that has been replaced and the next that is killed. */
const PAUSE_MS = 5_000;

let machines: Machines;
beforeAll(async () => {
  machines = await Machines.start((url, dataDir) => ({
    NEXTAUTH_URL: url,
    MAIL_DIR: join(dataDir, "mail"),
    RATE_LIMIT_PER_MINUTE: "0",
    AUTH_FAILURES_PER_MINUTE: "0",
    SESSION_CHECK_SECONDS: "1",
  }));
});
afterAll(() => machines.stop());

test("the API suite passes through a load balancer while machines are killed and replaced", { timeout: 1_800_000 }, async () => {
  const { url } = machines.balancer;
  const env = { DATA_DIR: machines.dataDir, NEXTAUTH_URL: url };
  const suite = vitest("api", process.env.API_FILES?.split(" ") ?? [], {
    TIEOUT_TESTS: "gate",
    TIEOUT_STACK_API: JSON.stringify({ command: [], env, url }),
  });
  let over = false;
  const replaced: Kind[] = [];
  const killing = (async () => {
    while (!over) {
      for (const kind of KINDS) {
        await sleep(PAUSE_MS);
        if (over) return;
        await machines.replace(kind);
        replaced.push(kind);
      }
    }
  })();
  const { passed, failures } = await suite.finally(() => {
    over = true;
  });
  await killing;
  console.log(`${passed} passed, ${failures.length} failed; killed and replaced: ${replaced.join(", ")}`);
  expect(failures).toEqual([]);
});
