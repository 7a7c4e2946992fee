import { expect } from "@playwright/test";
import { createTenant } from "../fixtures.ts";
import { beSignedIn, enter, report, rowOf } from "./person.ts";
import { test } from "./test.ts";

test("switching the tenant keeps the page", async ({ page }) => {
  await page.goto("/acme/exceptions");
  await enter(page, "sam@tieout.example");
  await expect(page.getByRole("button", { name: /sam Admin$/ })).toBeVisible();
  await page.getByRole("button", { name: /^Switch tenant from Acme/ }).click();
  await page.getByRole("menuitem", { name: "Globex" }).click();
  await expect(page).toHaveURL("/globex/exceptions");
  await expect(page.getByRole("button", { name: /^Switch tenant from Globex/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /sam Analyst$/ })).toBeVisible();
});

test("two tabs each show only their own tenant's exceptions", async ({ page, context }) => {
  const [one, two] = [await createTenant(), await createTenant()];
  await report(one, { title: "Of one", due_in_minutes: 30 });
  await report(two, { title: "Of two", due_in_minutes: 30 });
  await beSignedIn(context, { [one]: ["tenant_lead"], [two]: ["tenant_lead"] });
  const other = await context.newPage();
  await page.goto(`/${one}/exceptions`);
  await other.goto(`/${two}/exceptions`);
  for (const tab of [page, other])
    await tab.waitForResponse((response) => response.url().includes("/v1/exceptions/sla"));
  await expect(rowOf(page, "Of one")).toBeVisible();
  await expect(rowOf(page, "Of two")).toBeHidden();
  await expect(rowOf(other, "Of two")).toBeVisible();
  await expect(rowOf(other, "Of one")).toBeHidden();
});

test("the theme is remembered and applies to the first paint", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  const before = await page.evaluate(
    () => getComputedStyle(document.body.querySelector("main") as Element).backgroundColor,
  );
  await page.getByRole("button", { name: /ada Admin$/ }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.getByRole("main")).not.toHaveCSS("background-color", before);
  const response = await page.reload();
  expect(await response?.text()).toContain('data-theme="dark"');
  await expect(page.getByRole("main")).not.toHaveCSS("background-color", before);
});

test("times are in UTC until local time is chosen, which then applies from the first paint on", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await report(tenant, { title: "At noon", due_in_minutes: 0, due_at: "2035-01-15T12:00:00.000Z" });
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/exceptions`);
  await expect(rowOf(page, "At noon")).toContainText("15 Jan, 12:00");
  await page.getByRole("button", { name: /ada Admin$/ }).click();
  await page.getByRole("menuitemradio", { name: "Local, Europe/Berlin" }).click();
  await expect(rowOf(page, "At noon")).toContainText("15 Jan, 13:00 (15 Jan, 12:00 UTC)");
  await expect(rowOf(page, "At noon").getByText("15 Jan, 13:00").first()).toHaveAttribute(
    "title",
    /13:00:00 GMT\+1 · .* 12:00:00 UTC$/,
  );
  const response = await page.reload();
  expect(await response?.text()).toContain("15 Jan, 13:00");
});

test("the first tab stop skips the navigation", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("a phone has all of the navigation behind one button", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"], globex: ["tenant_analyst"] });
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto("/acme/exceptions");
  await page.getByRole("button", { name: "Open navigation" }).click();
  const navigation = page.getByRole("dialog", { name: "Navigation" });
  await expect(navigation.getByRole("link", { name: "Exceptions" })).toHaveAttribute(
    "aria-current",
    "page",
  );
  await navigation.getByRole("button", { name: /^Switch tenant from Acme/ }).click();
  await page.getByRole("menuitem", { name: "Globex" }).click();
  await expect(page).toHaveURL("/globex/exceptions");
  await expect(navigation).toBeHidden();
});

test("an unknown page of a tenant keeps the navigation", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"], globex: ["tenant_lead"] });
  const response = await page.goto("/globex/nowhere");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await expect(page).toHaveURL("/globex");
});

test("an offline page says so, and resumes when the network is back", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/integrations");
  await expect(page.getByRole("table")).toBeVisible();
  const notice = page.getByRole("status").getByText("You're offline.");
  await context.setOffline(true);
  await expect(notice).toBeVisible();
  await expect(page.getByRole("table")).toBeVisible();
  await page.getByRole("searchbox").fill("stripe");
  await context.setOffline(false);
  await expect(notice).toBeHidden();
  await expect(page.getByRole("row").nth(1)).toContainText(/stripe/i);
});

test("a page opened offline loads when the network is back", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/integrations");
  await context.setOffline(true);
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Sources" })
    .click();
  await expect(
    page.getByRole("status").getByText("The page opens once you're back online."),
  ).toBeVisible();
  await expect(page.getByRole("table")).toBeVisible();
  await page.getByRole("button", { name: "Stay here" }).click();
  for (const key of ["g", "r"]) await page.keyboard.press(key);
  await context.setOffline(false);
  await expect(page).toHaveURL("/acme/reconciliations");
  await expect(page.getByRole("heading", { name: "Reconciliations", level: 1 })).toBeVisible();
});
