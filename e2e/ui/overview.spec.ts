import { expect, type Page } from "@playwright/test";
import { createTenant } from "../fixtures.ts";
import { beSignedIn, report } from "./person.ts";
import { test } from "./test.ts";

const figure = (page: Page, name: string) =>
  page
    .getByRole("list", { name: "Open exceptions" })
    .getByRole("link", { name: new RegExp(`^${name}`) });
const rows = (page: Page) => page.getByRole("row").filter({ has: page.locator("a[data-row]") });

test("each risk's number links to exactly its exceptions, and the tenant's name to the overview", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const counts = { Breached: 3, "At risk": 2, "On track": 1 };
  for (const [nth, due_in_minutes] of [-50, -40, -30, 30, 120, 900].entries())
    await report(tenant, { title: `Payout ${nth}`, due_in_minutes });
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  await page.goto(`/${tenant}`);
  for (const [name, count] of Object.entries(counts)) {
    await expect(figure(page, name)).toContainText(String(count));
    await figure(page, name).click();
    await expect(page).toHaveURL(/breach_risk=/);
    await expect(rows(page)).toHaveCount(count);
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click();
    await expect(page).toHaveURL(`/${tenant}`);
  }
  await figure(page, "Total open").click();
  await expect(rows(page)).toHaveCount(6);
});

test("money at risk, unassigned and next due link to exactly their exceptions", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const money = (amount_minor: number, currency = "EUR") => ({ amount_minor, currency });
  await report(tenant, { title: "Late", due_in_minutes: -30, ...money(100) });
  await report(tenant, {
    title: "Soon",
    due_in_minutes: 30,
    assigned_to: "user:ana",
    ...money(250),
  });
  await report(tenant, { title: "Dollars", due_in_minutes: 60, ...money(900, "USD") });
  await report(tenant, { title: "Tomorrow", due_in_minutes: 1500, ...money(5000) });
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  for (const [words, titles] of [
    ["€1.00", ["Late"]],
    ["€2.50", ["Soon"]],
    ["€53.50", ["Late", "Soon", "Tomorrow"]],
    ["3 open exceptions", ["Late", "Dollars", "Tomorrow"]],
    ["2 open exceptions", ["Soon", "Dollars"]],
  ] as const) {
    await page.goto(`/${tenant}`);
    await page.getByRole("link", { name: words, exact: true }).click();
    await expect(rows(page).locator("a[data-row]")).toHaveText([...titles]);
  }
  await page.getByRole("button", { name: /^Remove the filter Due before/ }).click();
  await expect(page).not.toHaveURL(/due_before/);
  await expect(rows(page)).toHaveCount(3);
});

test("a day's breaches link to exactly those exceptions, whatever their deadlines are now", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  for (const nth of [1, 2]) await report(tenant, { title: `Late ${nth}`, due_in_minutes: -1 });
  await report(tenant, { title: "Ahead", due_in_minutes: 300 });
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  await page.goto(`/${tenant}`);
  const card = page.getByRole("region", { name: "Last 30 days" });
  await card.getByText("Show as table").click();
  const breached = card.getByRole("link", { name: /breached on/ });
  const counts = async () =>
    (await breached.allTextContents()).map((text) => Number.parseInt(text, 10));
  // Midnight may fall between the two breaches.
  await expect
    .poll(async () => (await counts()).reduce((sum, count) => sum + count, 0), { timeout: 30_000 })
    .toBe(2);
  const [count = 0] = await counts();
  await breached.first().click();
  await expect(rows(page)).toHaveCount(count);
  await page.getByRole("button", { name: /^Remove the filter Breached/ }).click();
  await expect(rows(page)).toHaveCount(3);
});

test("an analyst sees their own work first, an admin the tenant and its keys", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await report(tenant, { title: "Payout 1", due_in_minutes: 30, assigned_to: "user:ana" });
  const cards = () => page.getByRole("main").getByRole("heading", { level: 2 });
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  await page.goto(`/${tenant}`);
  await expect(cards().first()).toHaveText("Assigned to you");
  await expect(page.getByRole("list", { name: "Assigned to you" }).getByRole("link")).toHaveText(
    "Payout 1",
  );
  await expect(page.getByRole("heading", { name: "API keys" })).toBeHidden();
  await context.clearCookies();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] }, "ada");
  await page.goto(`/${tenant}`);
  await expect(cards().first()).toHaveText("Breaches next");
  await expect(page.getByRole("heading", { name: "API keys" })).toBeVisible();
});
