import type { Client } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";

const fresh = schemaDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await client.query(
    `select private.create_tenant('acme', 'Acme');
     insert into reconciliations (id, tenant_id, name, period_start, period_end, left_source,
       right_source, created_by)
     values ('rcn_1', 'acme', 'One', '2026-10-01', '2026-10-31', 'Bank', 'Ledger', 'system')`,
  );
}, 60_000);

const exception = (more: object) => ({
  exception: { severity: "high", assigned_to: null, amount_minor: null, currency: null, ...more },
});
const EUR_100 = { amount: { currency: "EUR", from_minor: 10_000 } };

describe("filters", () => {
  test.each<[name: string, filters: object, data: object, passes: boolean]>([
    ["of no kind pass everything", {}, exception({}), true],
    ["pass a severity that they name", { severity: ["high"] }, exception({}), true],
    ["reject another severity", { severity: ["low"] }, exception({}), false],
    ["by severity pass a run, which has none", { severity: ["low"] }, { run: {} }, true],
    [
      "by assignee reject an unassigned exception",
      { assigned_to: ["user:ada"] },
      exception({}),
      false,
    ],
    [
      "pass an assignee that they name",
      { assigned_to: ["user:ada"] },
      exception({ assigned_to: "user:ada" }),
      true,
    ],
    [
      "pass an amount that is large enough, whatever its sign",
      EUR_100,
      exception({ amount_minor: -10_000, currency: "EUR" }),
      true,
    ],
    [
      "reject an amount that is too small",
      EUR_100,
      { match: { amount_minor: 9_999, currency: "EUR" } },
      false,
    ],
    [
      "reject an amount in another currency",
      EUR_100,
      exception({ amount_minor: 20_000, currency: "USD" }),
      false,
    ],
    ["by amount reject an exception without an amount", EUR_100, exception({}), false],
    [
      "pass a period that they name",
      { reconciliation_ids: ["rcn_1"] },
      { reconciliation: { id: "rcn_1" } },
      true,
    ],
    [
      "reject another period",
      { reconciliation_ids: ["rcn_1"] },
      { run: { reconciliation_id: "rcn_2" } },
      false,
    ],
    [
      "reject an exception without a period",
      { reconciliation_ids: ["rcn_1"] },
      exception({ reconciliation_id: null }),
      false,
    ],
    [
      "pass several periods if they name one",
      { reconciliation_ids: ["rcn_1"] },
      { reconciliation_ids: ["rcn_0", "rcn_1"] },
      true,
    ],
    [
      "by period and amount pass a key, which has neither",
      { reconciliation_ids: ["rcn_1"], ...EUR_100 },
      { id: "key_1" },
      true,
    ],
    [
      "pass an import of a source that they name",
      { source_ids: ["src_1"] },
      { import: { source_id: "src_1" } },
      true,
    ],
    [
      "reject a period of other sources",
      { source_ids: ["src_1"] },
      { reconciliation: { id: "rcn_1" } },
      false,
    ],
    [
      "reject what only one of them passes",
      { severity: ["high"], assigned_to: ["user:ada"] },
      exception({}),
      false,
    ],
  ])("%s", async (_name, filters, data, passes) => {
    const { rows } = await client.query<{ passes: boolean }>(
      "select private.passes_filters('acme', $1, $2) as passes",
      [filters, data],
    );
    expect(rows[0]?.passes).toBe(passes);
  });
});

test("a webhook with a limit gets at most that many attempts a minute", async () => {
  await client.query("begin");
  try {
    await client.query(
      `insert into webhooks (id, tenant_id, url, events, max_per_minute, created_by)
       values ('whk_1', 'acme', 'https://hooks.example.com/', '{webhook.failing}', 2, 'system'),
         ('whk_2', 'acme', 'https://hooks.example.com/', '{webhook.failing}', null, 'system')`,
    );
    for (let n = 1; n <= 5; n += 1)
      await client.query(
        "select private.emit('acme', 'webhook.failing', jsonb_build_object('id', $1::text))",
        [`whk_failing_${n}`],
      );
    const claimed = async () => {
      const { rows } = await client.query<{ webhook_id: string }>(
        "select webhook_id from private.claim_webhook_deliveries('{whk_1,whk_2}', 100)",
      );
      return ["whk_1", "whk_2"].map(
        (id) => rows.filter(({ webhook_id }) => webhook_id === id).length,
      );
    };
    expect(await claimed()).toEqual([2, 5]);
    expect(await claimed()).toEqual([0, 0]);
    const nextMinute = "update private.webhook_rates set minute = minute - interval '1 minute'";
    await client.query(nextMinute);
    expect(await claimed()).toEqual([2, 0]);
    await client.query(nextMinute);
    expect(await claimed()).toEqual([1, 0]);
  } finally {
    await client.query("rollback");
  }
});

test("the cause of a 401 names all credentials that were sent", async () => {
  const { rows } = await client.query<{ detail: string }>(
    `select failure.detail from (values (null), ('{"token_url": "https://id.example/token"}'))
       sent(oauth)
     cross join lateral private.signature_failure(
       jsonb_populate_record(null::public.webhooks, jsonb_build_object('oauth', sent.oauth::jsonb)),
       401) failure`,
  );
  expect(rows.map(({ detail }) => detail)).toEqual([
    "The receiver responded with 401: it did not accept the signature.",
    "The receiver responded with 401: it did not accept the signature or the access token.",
  ]);
});
