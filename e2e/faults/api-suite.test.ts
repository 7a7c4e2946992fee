import { globSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { KINDS, type Kind, Machines } from "#e2e/stack/machines.ts";
import { stackUnderTest } from "#e2e/stack-under-test.ts";
import { vitest } from "../../bin/dev/suites.mjs";

/** The pause between the replacement of one machine and the killing of the next. */
const PAUSE_MS = 5_000;

const IMMEDIATE =
  "Effects that are immediate only in the process that handles the call; the other " +
  "machine follows within a second (machines.test.ts)";
const COUNTS =
  "Counts and the request log are written once a " +
  "second: a killed process takes the last ones with it";
const LEFT_OUT: Record<string, string> = {
  "e2e/api/wire/http-edges.test.ts": "Malformed requests, which the balancer answers itself",
  "e2e/api/api-keys/usage.test.ts": COUNTS,
  "e2e/api/overview.test.ts": COUNTS,
  "e2e/api/request-log/request-log.test.ts": COUNTS,
  "e2e/api/api-keys/lifecycle.test.ts": IMMEDIATE,
  "e2e/api/members/managing.test.ts": IMMEDIATE,
  "e2e/api/sessions.test.ts": IMMEDIATE,
  "e2e/api/sign-in.test.ts": IMMEDIATE,
};

const ROOT = join(import.meta.dirname, "../..");

let machines: Machines;
beforeAll(async () => {
  const { DATA_DIR: _, PORT: __, ...settings } = (await stackUnderTest("machines")).env;
  machines = await Machines.start((url, dataDir) => ({
    ...settings,
    NEXTAUTH_URL: url,
    MAIL_DIR: join(dataDir, "mail"),
  }));
});
afterAll(() => machines.stop());

test("the API suite passes through a load balancer while machines are killed and replaced", {
  timeout: 1_800_000,
}, async () => {
  const { dataDir, balancer } = machines;
  const env = {
    ...(await stackUnderTest("machines")).env,
    DATA_DIR: dataDir,
    NEXTAUTH_URL: balancer.url,
  };
  const suite = (args: string[]) =>
    vitest("api", args, {
      TIEOUT_TESTS: "gate",
      TIEOUT_STACK_API: JSON.stringify({ command: [], env, url: balancer.url }),
    });
  const replaced: Kind[] = [];
  let over = false;
  const killing = (async () => {
    for (let nth = 0; !over; nth++) {
      const kind = KINDS[nth % KINDS.length] as Kind;
      await machines.replace(kind);
      replaced.push(kind);
      await sleep(PAUSE_MS);
    }
  })();
  const first = await suite(
    globSync("e2e/api/**/*.test.ts", { cwd: ROOT }).filter((file) => !(file in LEFT_OUT)),
  );
  // A balancer resends a call that was cut off, even if it had taken effect. The affected tests
  // fail, and run again.
  const files = [...new Set(first.failures.flatMap(({ file }) => file ?? []))];
  const again = files.length === 0 ? null : await suite(files);
  over = true;
  await killing;
  console.log(
    `${first.passed} passed, ${first.failures.length} cut off, of which again ` +
      `${again?.failures.length ?? 0} failed`,
  );
  console.log(
    `killed and replaced: ${KINDS.map((kind) => `${replaced.filter((value) => value === kind).length} ${kind}`).join(", ")}`,
  );
  expect(first.passed).toBeGreaterThan(4_000);
  expect(first.failures.length).toBeLessThan(20);
  expect(again?.failures ?? []).toEqual([]);
});
