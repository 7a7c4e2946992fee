import { expect, type Page } from "@playwright/test";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, report, reportMany, rowOf, scrollToEnd } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
});

const bar = (page: Page) => page.getByRole("region", { name: "Selected exceptions" });
/** Opens the board and waits until it reacts to input. */
async function openBoard(page: Page): Promise<void> {
  await page.goto(`/${tenant}/exceptions`);
  const all = page.getByRole("checkbox", { name: "Select all loaded exceptions" });
  await expect(() => all.check({ timeout: 1000 })).toPass();
  await bar(page).getByRole("button", { name: "Clear the selection" }).click();
  await expect(bar(page)).toBeHidden();
}

const boxOf = (page: Page, title: string) => rowOf(page, title).getByRole("checkbox");

async function stored(): Promise<
  Record<string, { assigned_to: string | null; status: string; resolution: string | null }>
> {
  const rows = await sql<{
    title: string;
    assigned_to: string | null;
    status: string;
    resolution: string | null;
  }>("select title, assigned_to, status, resolution from public.exceptions where tenant_id = $1", [
    tenant,
  ]);
  return Object.fromEntries(rows.map(({ title, ...row }) => [title, row]));
}

test("rows are selected one by one, in a range, all at once and by keyboard", async ({ page }) => {
  await reportMany(tenant, 6);
  const scripts: string[] = [];
  page.on(
    "request",
    (request) => request.resourceType() === "script" && scripts.push(request.url()),
  );
  await page.goto(`/${tenant}/exceptions`);
  await page.waitForLoadState("networkidle");
  const before = scripts.length;
  // While the bar loads, the board stays and shows the selection.
  let releaseScripts = () => {};
  const held = new Promise<void>((resolve) => {
    releaseScripts = resolve;
  });
  await page.route("**/_next/static/**", async (route) => {
    await held;
    await route.continue();
  });
  await boxOf(page, "Item 2").check();
  await expect(rowOf(page, "Item 6")).toBeVisible();
  await expect(bar(page)).toBeHidden();
  releaseScripts();
  await expect(bar(page)).toContainText("1 selected");
  expect(new Set(scripts).size).toBeGreaterThan(before);
  await bar(page).getByRole("button", { name: "Clear the selection" }).click();
  await expect(bar(page)).toBeHidden();

  await boxOf(page, "Item 2").check();
  await expect(bar(page)).toContainText("1 selected");
  await boxOf(page, "Item 4").click({ modifiers: ["Shift"] });
  await expect(bar(page)).toContainText("3 selected");
  await expect(boxOf(page, "Item 3")).toBeChecked();
  await expect(
    page.getByRole("checkbox", { name: "Select all loaded exceptions" }),
  ).toHaveJSProperty("indeterminate", true);

  await rowOf(page, "Item 3").getByRole("link").focus();
  await page.keyboard.press("x");
  await expect(boxOf(page, "Item 3")).not.toBeChecked();
  await rowOf(page, "Item 5").getByRole("link").focus();
  await page.keyboard.press("Shift+X");
  await expect(bar(page)).toContainText("4 selected");

  await bar(page).getByRole("button", { name: "Select all 6" }).click();
  await expect(bar(page)).toContainText("6 selected");
  await bar(page).getByRole("button", { name: "Clear the selection" }).click();
  await expect(bar(page)).toBeHidden();
  await page.getByRole("checkbox", { name: "Select all loaded exceptions" }).check();
  await expect(bar(page)).toContainText("6 selected");
});

test("with rows selected, keys act on all of them and on no other row", async ({ page }) => {
  await reportMany(tenant, 4);
  await openBoard(page);
  const row = (nth: number) => rowOf(page, `Item ${nth}`).getByRole("link");
  await row(1).focus();
  await page.keyboard.press("x");
  await row(2).focus();
  await page.keyboard.press("x");
  await expect(bar(page)).toContainText("2 selected");
  await row(3).focus();
  await page.keyboard.press("m");
  await expect(page.getByRole("status").getByText("2 exceptions assigned to ada")).toBeVisible();
  expect(await stored()).toMatchObject({
    "Item 1": { assigned_to: "user:ada" },
    "Item 2": { assigned_to: "user:ada" },
    "Item 3": { assigned_to: null },
  });

  await row(1).focus();
  await page.keyboard.press("x");
  await row(4).focus();
  await page.keyboard.press("x");
  await expect(bar(page)).toContainText("2 selected");
  await row(3).focus();
  await page.keyboard.press("a");
  await page.keyboard.type("zoe");
  await page.getByRole("option", { name: /zoe/ }).click();
  await expect(page.getByRole("status").getByText("2 exceptions assigned to zoe")).toBeVisible();

  await row(4).focus();
  await page.keyboard.press("x");
  await expect(bar(page)).toContainText("1 selected");
  await row(3).focus();
  await page.keyboard.press("p");
  await page.keyboard.type("Waiting for the bank");
  await page.getByRole("button", { name: "Pause exception" }).click();
  await expect(rowOf(page, "Item 4")).toContainText("Paused");
  await expect(rowOf(page, "Item 3")).not.toContainText("Paused");
});

test("one undo restores every exception of a bulk change", async ({ page }) => {
  await report(tenant, { title: "Item 1", due_in_minutes: 300, assigned_to: "user:zoe" });
  await report(tenant, { title: "Item 2", due_in_minutes: 310 });
  await openBoard(page);
  await boxOf(page, "Item 1").check();
  await boxOf(page, "Item 2").check();
  await rowOf(page, "Item 2").getByRole("link").focus();
  await page.keyboard.press("m");
  const toast = page.getByRole("status").filter({ hasText: "2 exceptions assigned to ada" });
  await toast.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Assignment undone")).toBeVisible();
  expect(await stored()).toMatchObject({
    "Item 1": { assigned_to: "user:zoe" },
    "Item 2": { assigned_to: null },
  });
});

test("one undo restores every exception that a change by filter changed, loaded or not", async ({
  page,
}) => {
  await reportMany(tenant, 468);
  await reportMany(tenant, 52, "user:zoe");
  const assignees = () =>
    sql<{ assigned_to: string | null; count: number }>(
      `select assigned_to, count(*)::int from public.exceptions where tenant_id = $1
       group by assigned_to order by assigned_to`,
      [tenant],
    );
  const before = await assignees();
  await openBoard(page);
  await page
    .getByRole("checkbox", { name: /^Select Item/ })
    .first()
    .check();
  await bar(page).getByRole("button", { name: "Select all 520" }).click();
  await page.keyboard.press("m");
  // The lists are still being reloaded when Undo is pressed.
  await page.route(/\/v1\/exceptions\/sla/, () => {});
  await page.getByRole("button", { name: "Change 520 exceptions" }).click();
  const toast = page.getByRole("status").filter({ hasText: "520 exceptions assigned to ada" });
  await expect(toast).toBeVisible();
  expect(await assignees()).toEqual([{ assigned_to: "user:ada", count: 520 }]);
  await toast.getByRole("button", { name: "Undo" }).click();
  const undone = page.getByRole("status").filter({ hasText: "Assignment undone" });
  await expect(undone).toContainText("520 exceptions");
  await expect(undone).not.toContainText("changed since");
  expect(await assignees()).toEqual(before);
});

test("selected exceptions are assigned, reviewed and closed with a resolution", async ({
  page,
}) => {
  await reportMany(tenant, 3);
  await openBoard(page);
  await boxOf(page, "Item 1").check();
  await boxOf(page, "Item 2").check();

  await bar(page).getByRole("button", { name: "Assign" }).click();
  await page.getByRole("combobox", { name: "Assignee" }).fill("zoe");
  await page.getByRole("option", { name: /zoe/ }).click();
  await expect(page.getByRole("status").getByText("2 exceptions assigned to zoe")).toBeVisible();
  await expect(rowOf(page, "Item 2")).toContainText("zoe");
  await expect(bar(page)).toBeHidden();
  expect(await stored()).toMatchObject({
    "Item 1": { assigned_to: "user:zoe" },
    "Item 3": { assigned_to: null },
  });

  await boxOf(page, "Item 1").check();
  await bar(page).getByRole("button", { name: "Status" }).click();
  await page.getByRole("menuitem", { name: "In review" }).click();
  await expect(rowOf(page, "Item 1")).toContainText("In review");

  await boxOf(page, "Item 1").check();
  await boxOf(page, "Item 3").check();
  await bar(page).getByRole("button", { name: "Status" }).click();
  await page.getByRole("menuitem", { name: "Dismissed" }).click();
  const dialog = page.getByRole("dialog", { name: "Dismiss 2 exceptions" });
  await expect(dialog.getByRole("option", { name: "Fee booked" })).toBeVisible();
  await dialog.getByLabel("Resolution").fill("Test data.");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, "Item 3")).toBeHidden();
  await expect(page.getByRole("status").getByText("2 exceptions dismissed")).toBeVisible();
  expect(await stored()).toMatchObject({
    "Item 1": { status: "dismissed", resolution: "Test data." },
    "Item 2": { status: "open" },
    "Item 3": { status: "dismissed", resolution: "Test data." },
  });
});

test("exceptions that can't change are named and stay selected, and the others change", async ({
  page,
}) => {
  const { id } = await report(tenant, { title: "Settled elsewhere", due_in_minutes: 300 });
  await report(tenant, { title: "Still open", due_in_minutes: 310 });
  await openBoard(page);
  await expect(rowOf(page, "Still open")).toBeVisible();
  // This board must not load the colleague's change. Once a request is aborted, all earlier ones
  // have been answered, and later ones are aborted, too.
  const cut = page.waitForEvent("requestfailed", (request) =>
    request.url().includes("/v1/exceptions/sla"),
  );
  await page.route(/\/v1\/exceptions\/sla[?/]/, (route) => route.abort());
  await cut;
  const body = { status: "resolved", resolution: "By leo." };
  await api("PATCH", `/v1/exceptions/${id}`, {
    bearer: await userToken(tenant, ["tenant_lead"], "leo"),
    tenant,
    body,
  });

  await page.getByRole("checkbox", { name: "Select all loaded exceptions" }).check();
  await bar(page).getByRole("button", { name: "Status" }).click();
  await page.getByRole("menuitem", { name: "In review" }).click();
  const dialog = page.getByRole("dialog", { name: "1 exception was not changed" });
  await expect(dialog.getByRole("listitem")).toHaveText(
    /Settled elsewhere.*cannot move from resolved to in_review/,
  );
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(bar(page)).toContainText("1 selected");
  await expect(rowOf(page, "Settled elsewhere")).toContainText("Open");
  await expect(rowOf(page, "Still open")).toContainText("In review");
  expect(await stored()).toMatchObject({
    "Still open": { status: "in_review" },
    "Settled elsewhere": { status: "resolved" },
  });
});

test("a call whose response is lost is retried under the same key, and a failed one is rolled back", async ({
  page,
}) => {
  await reportMany(tenant, 2);
  await openBoard(page);
  await boxOf(page, "Item 1").check();
  const keys: string[] = [];
  await page.route("**/v1/exceptions/bulk", async (route) => {
    keys.push(route.request().headers()["idempotency-key"] ?? "");
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  const assignTo = async (name: string) => {
    await bar(page).getByRole("button", { name: "Assign" }).click();
    await page.getByRole("combobox", { name: "Assignee" }).fill(name);
    await page.getByRole("option", { name: new RegExp(name) }).click();
  };
  await assignTo("zoe");
  await expect(page.getByRole("status").getByText("1 exception assigned to zoe")).toBeVisible();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  expect(
    await sql(
      `select from public.security_events where tenant_id = $1
         and type = 'exceptions.bulk_updated'`,
      [tenant],
    ),
  ).toHaveLength(1);

  await page.unroute("**/v1/exceptions/bulk");
  const problem = {
    code: "internal",
    detail: "Something went wrong on our side.",
    request_id: "req_0123456789",
  };
  await page.route("**/v1/exceptions/bulk", (route) =>
    route.fulfill({ status: 500, json: problem }),
  );
  await page.route(/\/v1\/exceptions\/sla[?/]/, (route) => route.abort());
  await boxOf(page, "Item 2").check();
  await assignTo("kim");
  await expect(rowOf(page, "Item 2")).toContainText("kim");
  const dialog = page.getByRole("dialog", { name: "1 exception was not changed" });
  await expect(dialog).toContainText("Request req_0123456789");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(rowOf(page, "Item 2")).toContainText("Unassigned");
  await expect(boxOf(page, "Item 2")).toBeChecked();
});

test("a change of more exceptions than one call accepts is sent in parts, and can be stopped", async ({
  page,
}) => {
  test.slow();
  await reportMany(tenant, 1200);
  await openBoard(page);
  await scrollToEnd(page, "All 1,200 shown");
  const sizes: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/v1/exceptions/bulk", async (route) => {
    sizes.push(route.request().postDataJSON().ids.length);
    if (sizes.length === 2) await held;
    await route.continue();
  });
  await page
    .getByRole("checkbox", { name: /^Select Item/ })
    .last()
    .check();
  await bar(page).getByRole("button", { name: "Select all 1,200" }).click();
  await bar(page).getByRole("button", { name: "Status" }).click();
  await page.getByRole("menuitem", { name: "In review" }).press("Enter");
  await expect(bar(page)).toContainText("500 of 1,200 changed");
  await expect(bar(page).getByRole("progressbar")).toHaveJSProperty("value", 500);
  await bar(page).getByRole("button", { name: "Stop" }).click();
  release();
  const dialog = page.getByRole("dialog", { name: "200 exceptions were not changed" });
  await expect(dialog).toContainText("Stopped.");
  await dialog.getByRole("button", { name: "Done" }).click();
  expect(sizes).toEqual([500, 500]);
  await expect(bar(page)).toContainText("200 selected");
  const [row] = await sql<{ n: number }>(
    `select count(*)::int as n from public.exceptions where tenant_id = $1
       and status = 'in_review'`,
    [tenant],
  );
  expect(row?.n).toBe(1000);
});
