import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTenant, sql, stack, userToken } from "#e2e/fixtures.ts";
import { Tieout } from "../../../sdk/typescript/src/index.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { nightlyJob } from "./nightly-job.ts";

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

test("a nightly job closes a period once, through a proxy that cuts, delays and refuses", async () => {
  const tenant = await createTenant();
  const token = () => userToken(tenant, ["tenant_lead"], "lea");
  const directory = await mkdtemp(join(tmpdir(), "tieout-nightly-"));
  const [bankFile, ledgerFile] = [join(directory, "bank.csv"), join(directory, "ledger.csv")];
  await Promise.all([writeFile(bankFile, BANK), writeFile(ledgerFile, LEDGER)]);
  const proxy = await FaultyProxy.start(stack.url);
  try {
    const tieout = new Tieout({ token, tenant, baseUrl: proxy.url });
    const currency = "EUR";
    const bank = await tieout.sources.create({ name: "Bank", kind: "bank_statement", currency });
    const ledger = await tieout.sources.create({ name: "Ledger", kind: "ledger", currency });
    const period = await tieout.reconciliations.create({
      name: "Bank, October 2026",
      period_start: "2026-10-01",
      period_end: "2026-10-31",
      left_source_id: bank?.id ?? "",
      right_source_id: ledger?.id ?? "",
    });
    const lines: string[] = [];
    const files = { [bank?.id ?? ""]: bankFile, [ledger?.id ?? ""]: ledgerFile };
    await nightlyJob(tieout, period?.id ?? "", files, (line) => lines.push(line));

    expect(lines).toEqual(
      expect.arrayContaining([
        "5 lines imported",
        "4 lines imported",
        "run done",
        "6 matched, 2 outstanding",
        "difference 0.00 EUR",
        "outstanding 510.00",
        "outstanding 77.00",
        "exclusion -14.90",
      ]),
    );
    for (const count of Object.values(proxy.counts)) expect(count).toBeGreaterThan(0);
    const [made] = await sql(
      `select (select count(*)::int from public.sources where tenant_id = $1) as sources,
              (select count(*)::int from public.reconciliations where tenant_id = $1) as periods,
              (select count(*)::int from public.imports where tenant_id = $1) as imports`,
      [tenant],
    );
    expect(made).toEqual({ sources: 2, periods: 1, imports: 2 });
  } finally {
    await proxy.stop();
    await rm(directory, { recursive: true });
  }
});
