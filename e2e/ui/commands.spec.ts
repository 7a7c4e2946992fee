import { expect } from "@playwright/test";
import { tenantWithAdmin } from "../api/api-keys/keys.ts";
import { api, createTenant, userToken } from "../fixtures.ts";
import {
  beSignedIn,
  createReconciliation,
  createRecord,
  openPalette,
  report,
  reportMany,
} from "./person.ts";
import { test } from "./test.ts";

test("the palette opens a page by a few letters and Enter", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  await openPalette(page);
  await page.keyboard.type("rele");
  await expect(page.getByRole("option", { selected: true })).toContainText("Release notes");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/acme/release-notes");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("the page doesn't move while the palette loads", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions", { waitUntil: "networkidle" });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/_next/static/chunks/**", (route) => released.then(() => route.continue()));
  const held = page.waitForRequest("**/_next/static/chunks/**");
  await page.getByRole("button", { name: "Search or jump to" }).click();
  await held;
  // Waits by the clock, because a browser may draw no frame while nothing changes.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await page.getByRole("heading", { name: "Exceptions", exact: true }).isVisible()).toBe(
    true,
  );
  release();
  await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeFocused();
});

test("the arrow keys wrap around the choices, and Escape returns the focus", async ({
  page,
  context,
}) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  await page.getByRole("button", { name: "Charts" }).focus();
  const field = await openPalette(page);
  const chosen = page.getByRole("option", { selected: true });
  await expect(chosen).toContainText("Overview");
  await page.keyboard.press("ArrowUp");
  await expect(chosen).toContainText("Sign out");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(chosen).toContainText("Exceptions");
  await expect(field).toHaveAttribute(
    "aria-activedescendant",
    (await chosen.getAttribute("id")) ?? "",
  );
  await page.keyboard.press("Escape");
  await expect(field).toBeHidden();
  await expect(page.getByRole("button", { name: "Charts" })).toBeFocused();
});

test("the palette finds every kind of resource, and opens the chosen one", async ({
  page,
  context,
}) => {
  const admin = await tenantWithAdmin();
  const { tenant } = admin;
  await admin.create({ name: "Larkspur feed" });
  await report(tenant, { title: "Larkspur line is missing", due_in_minutes: 30 });
  await createRecord(tenant, "integrations", { name: "Larkspur bank" });
  await createReconciliation(tenant, { name: "Larkspur to ledger" });
  const view = { name: "Larkspur work", shared: true, filters: { severity: ["critical"] } };
  const bearer = await userToken(tenant, ["tenant_lead"], "leo");
  expect((await api("POST", "/v1/views", { bearer, tenant, body: view })).status).toBe(201);
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/integrations`);
  const open = async (title: string) => {
    await openPalette(page);
    await page.keyboard.type("larksp");
    await page.getByRole("option", { name: title }).click();
  };
  await open("Larkspur line is missing");
  await expect(
    page.getByRole("dialog").getByRole("heading", { name: "Larkspur line is missing" }),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await open("Larkspur feed");
  await expect(page.getByRole("dialog", { name: "Larkspur feed" })).toBeVisible();
  await page.keyboard.press("Escape");
  await open("Larkspur bank");
  await expect(page.getByRole("dialog").getByLabel("Name")).toHaveValue("Larkspur bank");
  await page.keyboard.press("Escape");
  await open("Larkspur to ledger");
  await expect(page.getByRole("heading", { name: "Larkspur to ledger", level: 1 })).toBeVisible();
  await open("Larkspur work");
  await expect(page).toHaveURL(`/${tenant}/exceptions?severity=critical`);
  await expect(
    page
      .getByRole("navigation", { name: "Saved views" })
      .getByRole("button", { name: /Larkspur work/ }),
  ).toHaveAttribute("aria-current", "true");
});

test("the palette finds an exception behind many others", async ({ page, context }) => {
  const tenant = await createTenant();
  await report(tenant, { title: "Larkspur line is missing", due_in_minutes: 60 * 24 * 300 });
  await reportMany(tenant, 600);
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/integrations`);
  await openPalette(page);
  await page.keyboard.type("larksp");
  await expect(page.getByRole("option", { name: "Larkspur line is missing" })).toBeVisible();
});

test("a credential pasted into the palette finds its key, and its secret is sent nowhere", async ({
  page,
  context,
}) => {
  const admin = await tenantWithAdmin();
  const key = await admin.create({ name: "Bank feed" });
  const secret = key.credential.split(".")[1] ?? "";
  await beSignedIn(context, { [admin.tenant]: ["tenant_admin"] });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url() + (request.postData() ?? "")));
  await page.goto(`/${admin.tenant}/exceptions`);
  const field = await openPalette(page);
  await field.fill(key.credential);
  await expect(page.getByRole("option", { name: "Bank feed" })).toBeVisible();
  expect(requests.join("\n")).toContain("q=tk_");
  expect(requests.join("\n")).not.toContain(secret);
});

test("a command that a role may not use is listed, disabled, and names the role that may", async ({
  page,
  context,
}) => {
  await beSignedIn(context, { acme: ["tenant_analyst"] });
  await page.goto("/acme/exceptions");
  await openPalette(page);
  await page.keyboard.type("create an api");
  const option = page.getByRole("option", { name: "Create an API key Admins only." });
  await expect(option).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByRole("status").getByText("Admins only.")).toBeVisible();
  await page.keyboard.press("Enter");
  await option.click({ force: true });
  await expect(page).toHaveURL("/acme/exceptions");
  await expect(option).toBeVisible();
});

test("an action opens its form, and the palette doesn't open above a form", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/members`);
  await openPalette(page);
  await page.keyboard.type("new exc");
  await page.keyboard.press("Enter");
  const exception = page.getByRole("dialog", { name: "New exception" });
  await expect(exception.getByLabel("Title")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(exception).toBeHidden();
  await openPalette(page);
  await page.keyboard.type("create an api");
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name").fill("Half typed");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeHidden();
  await expect(form.getByLabel("Name")).toHaveValue("Half typed");
});

test("the palette switches the tenant but stays on the page, and changes theme and time zone", async ({
  page,
  context,
}) => {
  await beSignedIn(context, { acme: ["tenant_admin"], globex: ["tenant_lead"] });
  await page.goto("/acme/integrations");
  await openPalette(page);
  await page.keyboard.type("switch to globex");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/globex/integrations");
  await openPalette(page);
  await page.keyboard.type("dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await openPalette(page);
  await page.keyboard.type("local times");
  await page.keyboard.press("Enter");
  const timeZone = async () =>
    (await context.cookies()).find(({ name }) => name === "tieout.time-zone")?.value;
  await expect.poll(timeZone).toBe("Europe%2FBerlin");
});

test("g and a letter go to a page, / to its search, ? to the shortcuts", async ({
  page,
  context,
}) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  const palette = await openPalette(page);
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await expect(page).toHaveURL("/acme/integrations");
  const search = page.getByRole("searchbox");
  await expect(search).toBeVisible();
  await page.keyboard.press("/");
  await expect(search).toBeFocused();
  await page.keyboard.type("g?/e");
  await expect(search).toHaveValue("g?/e");
  await expect(page).toHaveURL(/\/acme\/integrations/);
  await search.blur();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("single-key shortcuts can be turned off for good, and ⌘K keeps working", async ({
  page,
  context,
}) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  await page.getByRole("button", { name: /ada Admin$/ }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await page.reload();
  const field = await openPalette(page);
  await page.keyboard.press("Escape");
  await expect(field).toBeHidden();
  for (const key of ["?", "g", "i"]) await page.keyboard.press(key);
  await openPalette(page);
  await expect(page).toHaveURL("/acme/exceptions");
});
