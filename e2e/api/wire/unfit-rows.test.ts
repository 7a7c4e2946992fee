import { beforeAll, expect, test } from "vitest";
import { creating, editing } from "#e2e/exception-statements.ts";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";

type Page = { items: { id: string }[]; summary?: { total_open: number } };

let tenant: string;
let bearer: string;
beforeAll(async () => {
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"]);
});

const call = (method: string, path: string, body?: object) =>
  api(method, path, { bearer, tenant, ...(body && { body }) });
const create = async (path: string, body: object) =>
  (await call("POST", path, body)).json as { id: string };

async function page(path: string): Promise<Page> {
  const { status, json, text } = await call("GET", path);
  expect(status, text).toBe(200);
  return json as Page;
}

test("a row that violates its contract breaks no list or search", async () => {
  const { id } = await create("/v1/exceptions", {
    title: "Payout 4711 has no bank line",
    severity: "low",
  });
  await sql(
    creating(
      `'id', 'exc_Unfit', 'tenant_id', $1::text, 'title', 'Payout 4712 has no bank line', 'severity', 'low', 'due_at', now() + interval '1 day', 'created_by', 'system'`,
      `(select) one`,
    ),
    [tenant],
  );
  for (const path of [
    "/v1/exceptions",
    "/v1/exceptions?q=payout",
    "/v1/exceptions/sla",
    "/v1/exceptions/sla?q=payout",
  ]) {
    const { items, summary } = await page(path);
    expect(items.map((item) => item.id)).toEqual([id]);
    if (path.includes("/sla")) expect(summary).toMatchObject({ total_open: 2 });
  }
  expect((await call("GET", `/v1/exceptions/${id}`)).status).toBe(200);
});

test("a mapping of another release never breaks the list of sources", async () => {
  const fields = { kind: "ledger", currency: "EUR" };
  const [one, two] = [
    await create("/v1/sources", { name: "One", ...fields }),
    await create("/v1/sources", { name: "Two", ...fields }),
  ];
  await sql(
    "update public.sources set mapping = '{\"fields\": 5}' where tenant_id = $1 and id = $2",
    [tenant, one.id],
  );
  expect((await page("/v1/sources")).items.map(({ id }) => id)).toEqual([two.id]);
});

test.each([
  [
    "money beyond JSON's numbers",
    editing("'amount_minor', 9007199254740992, 'currency', 'EUR'", "tenant_id = $1"),
  ],
  [
    "a count beyond them",
    "update public.reconciliations set matched_count = 9007199254740992 where tenant_id = $1",
  ],
  [
    "a day without a year of four digits",
    "update public.reconciliations set period_end = '10000-01-01' where tenant_id = $1",
  ],
])("%s is refused by its table", async (_what, change) => {
  await create("/v1/exceptions", { title: "Fits", severity: "low" });
  const period = { period_start: "2026-10-01", period_end: "2026-10-31" };
  await create("/v1/reconciliations", {
    name: "Fits",
    ...period,
    left_source: "a",
    right_source: "b",
  });
  await expect(sql(change, [tenant])).rejects.toThrow("violates check constraint");
});
