import { expect, type Page } from "@playwright/test";
import type { Role } from "#lib/wire/access.ts";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, createRecord, rowOf, scrollToEnd } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

async function begin(page: Page, path: string, role: Role = "tenant_admin") {
  await beSignedIn(page.context(), { [tenant]: [role] });
  await page.goto(`/${tenant}/${path}`);
}

async function stored(surface: string, id: string, query = {}): Promise<unknown> {
  return (
    await api("GET", `/v1/${surface}/${id}`, {
      bearer: await userToken(tenant, ["tenant_admin"]),
      tenant,
      query,
    })
  ).json;
}

async function change(surface: string, id: string, body: object) {
  await api("PATCH", `/v1/${surface}/${id}`, {
    bearer: await userToken(tenant, ["tenant_lead"], "leo"),
    tenant,
    body,
  });
}

const panel = (page: Page) => page.getByRole("dialog");
const announced = (page: Page, text: string | RegExp) =>
  page.getByRole("status").filter({ hasText: text }).first();

test.beforeEach(async () => {
  tenant = await createTenant();
});

test("a record created by the form is in the list at once", async ({ page }) => {
  await begin(page, "integrations");
  await expect(page.getByRole("heading", { name: "No integrations yet" })).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "New integration" }).last().click();
  await panel(page).getByLabel("Name").fill("Stripe payouts");
  await panel(page).getByLabel("Provider").fill("stripe");
  await panel(page).getByLabel("Configuration (JSON)").fill('{"account": "acct_1"}');
  await panel(page).getByRole("button", { name: "Create" }).click();
  await expect(announced(page, "Created Stripe payouts")).toBeVisible();
  await expect(page).toHaveURL(/record=rec_/);
  await expect(panel(page).getByLabel("Provider")).toHaveValue("stripe");
  await panel(page).getByRole("button", { name: "Close" }).click();
  await expect(rowOf(page, "Stripe payouts")).toContainText("stripe");
  const id = await idOf("integrations");
  expect(await stored("integrations", id)).toMatchObject({
    name: "Stripe payouts",
    provider: "stripe",
    config: { account: "acct_1" },
  });
});

test("a record created as JSON can have fields that the form doesn't have", async ({ page }) => {
  await begin(page, "troubleshooting?record=new");
  await panel(page).getByText("JSON", { exact: true }).click();
  await panel(page)
    .getByLabel("All fields")
    .fill('{"title": "A feed delivers nothing", "runbook": {"steps": [1, 2]}');
  await expect(panel(page).getByText("Invalid JSON.")).toBeVisible();
  await expect(panel(page).getByRole("button", { name: "Create" })).toBeDisabled();
  await panel(page)
    .getByLabel("All fields")
    .fill('{"title": "A feed delivers nothing", "runbook": {"steps": [1, 2]}}');
  await panel(page).getByRole("button", { name: "Create" }).click();
  await expect(announced(page, "Created A feed delivers nothing")).toBeVisible();
  const id = await idOf("troubleshooting");
  expect(await stored("troubleshooting", id)).toMatchObject({
    title: "A feed delivers nothing",
    runbook: { steps: [1, 2] },
  });
});

test("a server error appears at its field, and nothing typed is lost", async ({ page }) => {
  await begin(page, "integrations?record=new");
  await panel(page).getByLabel("Name").fill("Bridge");
  await panel(page).getByLabel("Configuration (JSON)").fill('{"api_key": "hunter2"}');
  await panel(page).getByRole("button", { name: "Create" }).click();
  await expect(
    panel(page).getByText("config.api_key: This looks like a credential."),
  ).toBeVisible();
  await expect(panel(page).getByLabel("Name")).toHaveValue("Bridge");
  await expect(panel(page).getByLabel("Configuration (JSON)")).toHaveAttribute(
    "aria-invalid",
    "true",
  );
  await panel(page).getByLabel("Configuration (JSON)").fill('{"secret_ref": "vault:bridge"}');
  await panel(page).getByRole("button", { name: "Create" }).click();
  await expect(announced(page, "Created Bridge")).toBeVisible();
});

test("a panel asks before it discards typed text, and otherwise closes at once", async ({
  page,
}) => {
  await createRecord(tenant, "integrations", { name: "Stripe payouts", provider: "stripe" });
  await begin(page, "integrations");
  const open = () => rowOf(page, "Stripe payouts").getByRole("link").click();
  const ways = {
    "its button": () => panel(page).getByRole("button", { name: "Close" }).click(),
    Escape: () => page.keyboard.press("Escape"),
    "going back": () => page.evaluate(() => history.back()),
  };
  const requests: string[] = [];
  let shouldLeave = false;
  page.on("dialog", async (question) => {
    requests.push(question.message());
    await (shouldLeave ? question.accept() : question.dismiss());
  });
  for (const [way, close] of Object.entries(ways)) {
    await open();
    await panel(page).getByLabel("Provider").fill("adyen");
    shouldLeave = false;
    await close();
    await expect.poll(() => requests.length, way).toBe(1);
    await expect(panel(page).getByLabel("Provider"), way).toHaveValue("adyen");
    shouldLeave = true;
    await panel(page).getByRole("button", { name: "Close" }).click();
    await expect(panel(page), way).toBeHidden();
    expect(requests.splice(0), way).toEqual(
      Array(2).fill(expect.stringContaining("without saving")),
    );
  }
  await open();
  await expect(panel(page).getByLabel("Provider")).toHaveValue("stripe");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  // Navigation to another page would be replaced as long as the URL has not changed.
  await expect(page).not.toHaveURL(/record=/);
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Reconciliations" })
    .click();
  await expect(page.getByRole("heading", { name: "Reconciliations", level: 1 })).toBeVisible();
  expect(requests).toEqual([]);
});

test("following a link discards a search that is being typed", async ({ page }) => {
  await createRecord(tenant, "integrations", { name: "Stripe payouts" });
  await createRecord(tenant, "troubleshooting", { title: "A guide" });
  await begin(page, "integrations");
  // Typing and clicking in one task, as if the page was too busy to handle the events one by one.
  await page.getByRole("searchbox").evaluate((field: HTMLInputElement) => {
    field.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(
      field,
      "settle",
    );
    field.dispatchEvent(new Event("input", { bubbles: true }));
    const link = [
      ...document.querySelectorAll<HTMLAnchorElement>("nav a[href$='/troubleshooting']"),
    ].find((element) => element.checkVisibility());
    link?.focus();
    link?.click();
  });
  await expect(rowOf(page, "A guide")).toBeVisible();
  await expect(page.getByRole("searchbox")).toHaveValue("");
  await page.waitForLoadState("networkidle");
  expect(new URL(page.url()).search).toBe("");
});

test("a record is found by text, with a URL that can be shared", async ({ page }) => {
  await createRecord(tenant, "integrations", { name: "Stripe payouts", provider: "stripe" });
  await createRecord(tenant, "integrations", {
    name: "Adyen fees",
    provider: "adyen",
    config: { feed: "adyen.settlements" },
  });
  await begin(page, "integrations");
  await page.getByRole("searchbox", { name: "Search integrations" }).fill("settle");
  await expect(page).toHaveURL(/q=settle/);
  await expect(rowOf(page, "Stripe payouts")).toBeHidden();
  await expect(rowOf(page, "Adyen fees")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("settle");
  await expect(rowOf(page, "Adyen fees")).toBeVisible();
  await page.getByRole("searchbox").fill("nowhere");
  await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(rowOf(page, "Stripe payouts")).toBeVisible();
  await expect(page.getByRole("searchbox")).toHaveValue("");
});

test("an update sends only changed fields, and keeps fields that the form doesn't show", async ({
  page,
}) => {
  const { id } = await createRecord(tenant, "release-notes", {
    title: "Draft",
    version: "1.0",
    owner: "ops",
    published: false,
  });
  await begin(page, `release-notes?record=${id}`);
  await expect(panel(page).getByText("One more field is kept unchanged")).toBeVisible();
  await expect(panel(page).getByRole("button", { name: "Save changes" })).toBeDisabled();
  await panel(page).getByLabel("Title").fill("Final");
  await panel(page).getByLabel("Version").fill("");
  await panel(page).getByLabel("Published", { exact: true }).check();
  await panel(page).getByLabel("Published at (UTC)").fill("2026-11-20T09:30");
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await expect(announced(page, "Saved")).toBeVisible();
  const record = await stored("release-notes", id);
  expect(record).toMatchObject({
    title: "Final",
    published: true,
    published_at: "2026-11-20T09:30:00.000Z",
    owner: "ops",
  });
  expect(record).not.toHaveProperty("version");
  await panel(page).getByLabel("Title").fill("Final again");
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await expect.poll(() => stored("release-notes", id)).toMatchObject({ title: "Final again" });
});

test("overwriting applies my changes and keeps the other person's other fields", async ({
  page,
}) => {
  const { id } = await createRecord(tenant, "troubleshooting", {
    title: "Mine to change",
    symptom: "Old",
    resolution: "Old",
  });
  await begin(page, `troubleshooting?record=${id}`);
  await panel(page).getByLabel("Title").fill("My title");
  await change("troubleshooting", id, { symptom: "Theirs" });
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await expect(
    panel(page).getByText("Someone else changed this troubleshooting guide"),
  ).toBeVisible();
  expect(await stored("troubleshooting", id)).toMatchObject({
    title: "Mine to change",
    symptom: "Theirs",
  });
  await panel(page).getByRole("button", { name: "Overwrite with my changes" }).click();
  await expect(panel(page).getByLabel("Symptom")).toHaveValue("Theirs");
  await expect(panel(page).getByLabel("Title")).toHaveValue("My title");
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await expect(announced(page, "Saved")).toBeVisible();
  expect(await stored("troubleshooting", id)).toMatchObject({
    title: "My title",
    symptom: "Theirs",
    resolution: "Old",
  });
});

test("the other person's change can be accepted instead", async ({ page }) => {
  const { id } = await createRecord(tenant, "troubleshooting", { title: "First" });
  await begin(page, `troubleshooting?record=${id}`);
  await panel(page).getByLabel("Title").fill("Mine");
  await change("troubleshooting", id, { title: "Theirs" });
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await panel(page).getByRole("button", { name: "Discard my changes" }).click();
  await expect(panel(page).getByLabel("Title")).toHaveValue("Theirs");
  await expect(panel(page).getByRole("button", { name: "Save changes" })).toBeDisabled();
});

test("a deleted record can be restored at once", async ({ page }) => {
  const { id } = await createRecord(tenant, "integrations", { name: "Bridge" });
  await begin(page, `integrations?record=${id}`);
  await panel(page).getByRole("button", { name: "Delete" }).click();
  await expect(panel(page)).toBeHidden();
  await expect(rowOf(page, "Bridge")).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rowOf(page, "Bridge")).toBeVisible();
  await expect(announced(page, "Restored Bridge")).toBeVisible();
  expect(await stored("integrations", id)).toMatchObject({ soft_delete: false });
});

test("the bin shows the days left, and restores a record", async ({ page }) => {
  for (const name of ["Recent", "Nearly gone"]) {
    const { id } = await createRecord(tenant, "integrations", { name, provider: "sftp" });
    await api("DELETE", `/v1/integrations/${id}`, {
      bearer: await userToken(tenant, ["tenant_lead"]),
      tenant,
    });
    if (name === "Nearly gone")
      await sql(
        "update public.records set deleted_at = deleted_at - interval '28 days' where id = $1",
        [id],
      );
  }
  await begin(page, "integrations");
  await expect(page.getByRole("heading", { name: "No integrations yet" })).toBeVisible();
  await page.getByText("Bin", { exact: true }).click();
  await expect(rowOf(page, "Recent")).toContainText("in 30 days");
  await expect(rowOf(page, "Nearly gone")).toContainText("in 2 days");
  await rowOf(page, "Nearly gone").getByRole("link").click();
  await expect(panel(page)).toContainText("sftp");
  await expect(panel(page).getByRole("button", { name: "Save changes" })).toBeHidden();
  await panel(page).getByRole("button", { name: "Close" }).click();
  await rowOf(page, "Nearly gone").getByRole("button", { name: "Restore Nearly gone" }).click();
  await expect(rowOf(page, "Nearly gone")).toBeHidden();
  await page.getByText("Active", { exact: true }).click();
  await expect(rowOf(page, "Nearly gone")).toBeVisible();
});

test("a lead can delete, and sees who can restore", async ({ page }) => {
  const { id } = await createRecord(tenant, "integrations", { name: "Bridge" });
  await begin(page, `integrations?record=${id}`, "tenant_lead");
  await panel(page).getByRole("button", { name: "Delete" }).click();
  await expect(announced(page, "A tenant admin can restore it for 30 days.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toBeHidden();
  await page.getByText("Bin", { exact: true }).click();
  await expect(page.getByRole("heading", { name: "Your role doesn't allow this" })).toBeVisible();
  await expect(page.getByText("Ask a tenant admin.")).toBeVisible();
});

test("an analyst can only read, and sees which roles may write", async ({ page }) => {
  await createRecord(tenant, "troubleshooting", {
    title: "A payout is missing",
    symptom: "Left side only",
    extra: { line: 118 },
  });
  await begin(page, "troubleshooting", "tenant_analyst");
  await expect(page.getByText("Ask an admin or a lead to make changes.")).toBeVisible();
  await expect(page.getByRole("button", { name: "New troubleshooting guide" })).toBeHidden();
  await rowOf(page, "A payout is missing").getByRole("link").click();
  await expect(panel(page)).toContainText("Left side only");
  await expect(panel(page)).toContainText("Line118");
  await expect(panel(page).getByRole("textbox")).toHaveCount(0);
});

test("a record opens with its own URL, and Back closes it", async ({ page }) => {
  const { id } = await createRecord(tenant, "integrations", { name: "Bridge" });
  await begin(page, "integrations");
  await rowOf(page, "Bridge").getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`record=${id}`));
  await expect(panel(page).getByLabel("Name")).toHaveValue("Bridge");
  await page.goBack();
  await expect(panel(page)).toBeHidden();
  await page.goto(`/${tenant}/integrations?record=rec_${"0".repeat(32)}`);
  await expect(panel(page).getByText("There is no such record.")).toBeVisible();
});

test("a long list loads more while scrolling", async ({ page }) => {
  await sql(
    `insert into public.records (tenant_id, surface, data, created_by)
     select $1, 'integrations', jsonb_build_object('name', 'Number ' || i), 'system'
     from generate_series(1, 120) i`,
    [tenant],
  );
  await begin(page, "integrations");
  await expect(page.getByRole("row")).toHaveCount(51);
  await scrollToEnd(page, "All 120 shown");
});

test("an error shows its request id, and trying again works", async ({ page }) => {
  await createRecord(tenant, "integrations", { name: "Bridge" });
  await begin(page, "integrations");
  await expect(rowOf(page, "Bridge")).toBeVisible();
  const problem = {
    code: "internal",
    detail: "Something went wrong on our side.",
    request_id: "req_0123456789abcdef",
  };
  await page.route("**/v1/**", (route) => route.fulfill({ status: 500, json: problem }));
  await page.getByRole("searchbox").fill("bridge");
  await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible({ timeout: 30_000 });
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(rowOf(page, "Bridge")).toBeVisible();
});

async function idOf(surface: string): Promise<string> {
  const [row] = await sql<{ id: string }>(
    "select id from public.records where tenant_id = $1 and surface = $2",
    [tenant, surface],
  );
  return row?.id ?? "";
}
