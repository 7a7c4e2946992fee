import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTenant, stack, userToken } from "#e2e/fixtures.ts";
import { PYTHONPATH, pythonWithHttpx } from "./python.ts";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "../../../sdk/python");
const BANK = `value_date,amount,reference
2026-10-02,1200.00,INV-1
2026-10-05,80.50,INV-2
`;

let folder: string;
let python: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-python-"));
  python = await pythonWithHttpx(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { PATH, NODE_ENV } = process.env;

test("its own tests pass", async () => {
  const env = { PATH, NODE_ENV, PYTHONPATH };
  const { stderr } = await run(python, ["-m", "unittest", "test_sdk"], { env });
  expect(stderr).toMatch(/Ran \d\d tests in .*\n\nOK\n$/);
});

test("a nightly job closes a period, and its events are read", async () => {
  const tenant = await createTenant();
  const [bank, ledger] = [join(folder, "bank.csv"), join(folder, "ledger.csv")];
  await Promise.all([writeFile(bank, BANK), writeFile(ledger, BANK)]);
  const { stdout } = await run(python, [join(FOLDER, "tests/nightly.py"), bank, ledger], {
    env: {
      PATH,
      NODE_ENV,
      PYTHONPATH,
      TIEOUT_URL: stack.url,
      TIEOUT_TENANT: tenant,
      TIEOUT_TOKEN: await userToken(tenant, ["tenant_lead"], "lea"),
    },
  });
  const { events, rows, ...done } = JSON.parse(stdout);
  expect(done).toEqual({ imported: [2, 2], run: "done", matched: 4, differences: ["0.00"] });
  expect(rows).toBeGreaterThan(0);
  expect(events).toEqual(expect.arrayContaining(["import.done", "run.done"]));
  expect(events.at(-1)).toBe("reconciliation.closed");
});
