import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTenant, stack, userToken } from "#e2e/fixtures.ts";

const SLOW = 300_000;
const SCRIPT = join(import.meta.dirname, "../../../docs/examples/close-a-month.mjs");

const BANK = `value_date,amount,reference,counterparty,description
2026-10-02,1200.00,INV-1,Hansen GmbH,Invoice 1
2026-10-05,80.50,INV-2,Vogel,Invoice 2
2026-10-09,349.99,INV-3,Keller,Invoice 3
2026-10-31,-14.90,,Bank,Account fee
2026-10-30,77.00,INV-9,Weiss,Not booked yet
`;
const LEDGER = `value_date,amount,reference,counterparty,description
2026-10-02,1200.00,INV-1,Hansen GmbH,Invoice
2026-10-05,80.50,INV-2,Vogel,Invoice
2026-10-07,349.99,INV-3,Keller,Invoice
2026-10-28,510.00,INV-4,Atelier,Not paid yet
`;

test(
  "a month is closed through /v1 alone, from two files to a signed statement",
  async () => {
    const tenant = await createTenant();
    const directory = await mkdtemp(join(tmpdir(), "tieout-month-"));
    const [bank, ledger] = [join(directory, "bank.csv"), join(directory, "ledger.csv")];
    await Promise.all([writeFile(bank, BANK), writeFile(ledger, LEDGER)]);
    try {
      const env = {
        ...process.env,
        TIEOUT_URL: stack.url,
        TIEOUT_TENANT: tenant,
        TIEOUT_TOKEN: await userToken(tenant, ["tenant_lead"], "lea"),
      };
      const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, bank, ledger], {
        env,
      });
      expect(stdout).toContain(
        "Bank, October 2026: closed by user:lea, 6 lines matched, 2 outstanding",
      );
      expect(stdout).toContain("Difference: 0 EUR");
      expect(
        stdout
          .trim()
          .split("\r\n")
          .filter((row) => /^(?:outstanding|exclusion),/.test(row))
          .map((row) => row.split(",").slice(2, 8).join()),
      ).toEqual([
        "EUR,right,510.00,51000,2026-10-28,3",
        "EUR,left,77.00,7700,2026-10-30,1",
        "EUR,left,-14.90,-1490,2026-10-31,",
      ]);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
  SLOW,
);
