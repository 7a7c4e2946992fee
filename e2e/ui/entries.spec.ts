import { expect } from "@playwright/test";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { expectAxeFindsNothing, PHONE } from "./soundness.ts";
import { test } from "./test.ts";

/** A period of two sources, with a fee of 2.50 and an open line of 40.00 on the left. */
async function october(tenant: string): Promise<string> {
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const post = async <Answer>(path: string, body: object) => {
    const answer = await api("POST", `/v1/${path}`, { bearer, tenant, body });
    expect([200, 201], answer.text).toContain(answer.status);
    return answer.json as Answer;
  };
  const source = (name: string) =>
    post<{ id: string }>("sources", { name, kind: "ledger", currency: "EUR" });
  const [bank, ledger] = [await source("Bank"), await source("Ledger")];
  const add = async (id: string, amount: string, reference: string) => {
    const lines = [{ amount, value_date: "2026-10-05", reference }];
    const { items } = await post<{ items: { id: string }[] }>(`sources/${id}/lines`, { lines });
    return items[0]?.id;
  };
  const paid = await add(bank.id, "97.50", "RG-1");
  const booked = await add(ledger.id, "100.00", "RG-1");
  await add(bank.id, "40.00", "RG-2");
  const { id } = await post<{ id: string }>("reconciliations", {
    name: "October",
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    left_source_id: bank.id,
    right_source_id: ledger.id,
    auto_run: false,
  });
  await post(`reconciliations/${id}/matches`, {
    line_ids: [paid, booked],
    adjustments: [{ kind: "fee", amount_minor: -250 }],
  });
  return id;
}

test("accounts are set and previewed, and the batch of a close is downloaded and marked as exported", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const id = await october(tenant);
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "leo");
  await page.setViewportSize(PHONE);
  await page.goto(`/${tenant}/entry-batches`);
  await expect(page.getByText("No ledger entries yet")).toBeVisible();
  await expectAxeFindsNothing(page);

  await page.goto(`/${tenant}/reconciliations/${id}/entries`);
  const fee = page.getByRole("group", { name: "Fee" });
  await fee.getByRole("button", { name: "Set accounts" }).click();
  await expect(fee.getByLabel("Account", { exact: true })).toBeFocused();
  await page.keyboard.type("4970");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(fee.getByText("Enter an account.")).toBeVisible();
  await fee.getByLabel("Counter account").fill("1200");
  await fee.getByLabel("Text").fill("Fee {period}");
  await page.getByRole("button", { name: "Preview entries" }).click();
  await expect(page.getByText("1 entry, debit = credit: €2.50.")).toBeVisible();
  await expect(
    page.getByRole("row", { name: /Fee 2026-10.*Debit 4970, credit 1200.*€2\.50/ }),
  ).toBeVisible();
  await expect(page.getByText("Carried, left: 1, €40.00")).toBeVisible();
  await expectAxeFindsNothing(page);
  const carried = page.getByRole("group", { name: "Carried, left" });
  await carried.getByRole("button", { name: "Set accounts" }).click();
  await carried.getByLabel("Account", { exact: true }).fill("1590");
  await carried.getByLabel("Counter account").fill("1200");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved version 1.", { exact: false })).toBeVisible();

  await api("POST", `/v1/reconciliations/${id}/close`, {
    bearer: await userToken(tenant, ["tenant_admin"]),
    tenant,
  });
  await page.goto(`/${tenant}/reconciliations/${id}`);
  const card = page.getByRole("region", { name: "Ledger entries" });
  await expect(card.getByText("2 entries, €42.50")).toBeVisible();
  await card.getByRole("button", { name: "Download batch 2026-0001" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "NetSuite" }).click();
  expect((await download).suggestedFilename()).toBe("netsuite-journal-2026-0001.csv");
  await expect(card.getByText("Ready")).toBeVisible();

  await card.getByRole("link", { name: "Batch 2026-0001" }).click();
  await expect(page.getByRole("heading", { name: "Batch 2026-0001" })).toBeVisible();
  await expect(page.getByRole("rowheader")).toHaveText([/carried left RG-2/, /Fee 2026-10/]);
  await expectAxeFindsNothing(page);
  await page.getByRole("button", { name: "Mark as exported" }).click();
  const dialog = page.getByRole("dialog", { name: "Mark batch 2026-0001 as exported?" });
  await dialog.getByLabel("Reference in the ledger").fill("JE-7");
  await page.keyboard.press("Enter");
  await expect(page.getByText("JE-7")).toBeVisible();
  await expect(page.getByRole("button", { name: "Mark as exported" })).toBeHidden();
  await page.goto(`/${tenant}/entry-batches?state=exported`);
  await expect(page.getByRole("row", { name: /2026-0001.*October/ })).toBeVisible();
});

test("rules can be previewed on any period of the pair, and a failure to load connections is shown", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const id = await october(tenant);
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const { json } = await api("GET", `/v1/reconciliations/${id}`, { bearer, tenant });
  const { left_source_id, right_source_id } = json as Record<string, string>;
  const november = await api("POST", "/v1/reconciliations", {
    bearer,
    tenant,
    body: {
      name: "November",
      period_start: "2026-11-01",
      period_end: "2026-11-30",
      left_source_id,
      right_source_id,
      auto_run: false,
    },
  });
  expect(november.status, november.text).toBe(201);
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "leo");
  await page.route("**/v1/connections?**", (route) => route.fulfill({ status: 500, json: {} }));
  await page.setViewportSize(PHONE);
  await page.goto(`/${tenant}/reconciliations/${(november.json as { id: string }).id}/entries`);
  const fee = page.getByRole("group", { name: "Fee" });
  await fee.getByRole("button", { name: "Set accounts" }).click();
  await fee.getByLabel("Account", { exact: true }).fill("4970");
  await fee.getByLabel("Counter account").fill("1200");
  await page.getByRole("button", { name: "Preview entries" }).click();
  await expect(page.getByText("Nothing would be posted.")).toBeVisible();
  await page.getByLabel("Period").selectOption("October (open)");
  await expect(page.getByText("Nothing would be posted.")).toBeHidden();
  await page.getByRole("button", { name: "Preview entries" }).click();
  await expect(page.getByText("1 entry, debit = credit: €2.50.")).toBeVisible();
  await expect(page.getByText(/The connections couldn't be loaded/)).toBeVisible({
    timeout: 30_000,
  });
  await expectAxeFindsNothing(page);
});

test("the oldest of several hundred connections can be chosen to push to", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const id = await october(tenant);
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const sources = await api("GET", "/v1/sources", { bearer, tenant });
  const [source] = (sources.json as { items: { id: string }[] }).items;
  const oldest = await api("POST", "/v1/connections", {
    bearer,
    tenant,
    body: {
      source_id: source?.id,
      kind: "sftp",
      address: "sftp://oldest.bank.example/in",
      auth: "password",
      user_name: "acme",
      credential: "secret",
    },
  });
  expect(oldest.status, oldest.text).toBe(201);
  await sql(
    `with copies as (
       insert into sources overriding system value
       select (jsonb_populate_record(s, jsonb_build_object('id', private.new_id('src'),
         'source_no', 1000000000 + 300 * s.source_no + n, 'name', 'Bank ' || n))).*
       from sources s, generate_series(1, 250) n where s.tenant_id = $1 and s.id = $2
       returning source_no
     )
     insert into connections select (jsonb_populate_record(c, jsonb_build_object(
       'id', private.new_id('con'), 'source_no', n.source_no,
       'address', format('sftp://bank-%s.example/in', n.source_no)))).*
     from connections c, copies n where c.tenant_id = $1`,
    [tenant, source?.id],
  );
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "leo");
  await page.goto(`/${tenant}/reconciliations/${id}/entries`);
  const field = page.getByLabel("Connection");
  await expect(field.getByRole("option")).toHaveCount(252);
  await field.selectOption("sftp://oldest.bank.example/in");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved version 1.", { exact: false })).toBeVisible();
  await page.reload();
  await expect(field.locator("option:checked")).toHaveText("sftp://oldest.bank.example/in");
});

test("an auditor sees entry rules, but can't change them", async ({ page, context }) => {
  const tenant = await createTenant();
  const id = await october(tenant);
  await beSignedIn(context, { [tenant]: ["tenant_auditor"] }, "aud");
  await page.goto(`/${tenant}/reconciliations/${id}/entries`);
  await expect(page.getByRole("group", { name: "Fee" })).toHaveText(/Nothing is posted/);
  await expect(page.getByRole("button", { name: "Save" })).toBeHidden();
  await expect(page.getByRole("button", { name: "Preview entries" })).toBeVisible();
});
