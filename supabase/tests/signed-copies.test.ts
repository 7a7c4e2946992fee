import type { JobHelpers } from "graphile-worker";
import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { FreshTenant } from "#e2e/fresh-tenant.ts";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";
import { closePeriodTask } from "../../worker/matcher/tasks/close-period.ts";
import { copySignedItems } from "../../worker/matcher/tasks/copy-signed-items.ts";

const fresh = schemaDatabases();
let client: Client;
let url: string;
let tenants = 0;

beforeAll(async () => {
  ({ url, client } = await fresh());
}, 120_000);

const LINES = 12;

/** Two matched lines for each number, and one line that is carried. */
async function closedPeriod(maxLines: number): Promise<{ tenant: FreshTenant; id: string }> {
  await client.query(
    `create or replace function private.max_lines_in_request() returns integer
     language sql immutable set search_path = '' return ${maxLines}`,
  );
  const tenant = await FreshTenant.create(`acme${++tenants}`, url, client);
  const [left, right] = [await tenant.source("Left"), await tenant.source("Right")];
  const id = await tenant.bind(left, right);
  const lines = Array.from({ length: LINES }, (_, n) => ({
    day: "2026-03-02",
    amount_minor: 10_000 + n,
    reference: `RG-${n}`,
  }));
  await tenant.import(left, lines);
  await tenant.import(right, lines.slice(1));
  await tenant.run(id);
  await tenant.call("close_reconciliation", "closeReconciliation", { id });
  await closePeriodTask(url)({ tenant_id: tenant.id, reconciliation_id: id }, {
    job: { attempts: 1, max_attempts: 1 },
  } as unknown as JobHelpers);
  return { tenant, id };
}

const reopen = (tenant: FreshTenant, id: string) =>
  tenant.call("reopen_reconciliation", "reopenReconciliation", {
    id,
    reason: "A line was missing",
  });

const copy = () =>
  copySignedItems({}, {
    query: (text: string, values: unknown[]) => client.query(text, values),
  } as unknown as JobHelpers);

/** The texts over which the digest of the statement was computed, by kind. */
async function signedItems(statement: string, id: string): Promise<object[]> {
  return (await client.query(statement, [id])).rows;
}

const IN_FORCE = `select kind.name as kind, array_agg(item.content order by item.place) as rows
  from unnest(private.signed_kinds()) kind (name) cross join lateral (
    select signed.content, row_number() over () as place from public.reconciliations period
    cross join lateral private.signed_rows(period.tenant_id, period.id, kind.name, null, 1000) signed
    where period.id = $1
  ) item group by kind.name order by kind.name`;
const COPIED = `select kind, rows from private.reopened_items where reconciliation_id = $1
  order by kind, seq`;

test("a large period is reopened once a matcher has copied what was signed", async () => {
  const { tenant, id } = await closedPeriod(1);
  await expect(reopen(tenant, id)).rejects.toMatchObject({
    code: "TO001",
    detail: expect.stringContaining("still being copied"),
  });
  const signed = await signedItems(IN_FORCE, id);
  expect(signed).toHaveLength(3);
  await copy();
  expect(await reopen(tenant, id)).toMatchObject({ closed_at: null });
  expect(await signedItems(COPIED, id)).toEqual(signed);
});

test("a small period is copied when it is reopened, each of its statements once", async () => {
  const { tenant, id } = await closedPeriod(1000);
  const signed = await signedItems(IN_FORCE, id);
  for (const number of [1, 2]) {
    await reopen(tenant, id);
    expect(await signedItems(COPIED.replace("= $1", `= $1 and number = ${number}`), id)).toEqual(
      signed,
    );
    await tenant.call("close_reconciliation", "closeReconciliation", { id });
  }
});
