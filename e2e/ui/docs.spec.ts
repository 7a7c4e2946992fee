import { expect } from "@playwright/test";
import { GUIDE_SLUGS } from "#lib/guides/guides.ts";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { expectNoSidewaysScrolling, PHONE, settled } from "./soundness.ts";
import { test } from "./test.ts";

test("the search finds and opens a guide, an operation and an error by keyboard alone", async ({
  page,
}) => {
  await page.goto("/docs");
  await settled(page);
  for (const [query, name, url] of [
    ["without downtime", "Rotate a key without downtime", "/docs/guides/key-rotation"],
    ["rotateApiKey", "Rotate an API key", "/docs/reference/api-keys/rotate-api-key"],
    ["idempotency mismatch", "idempotency_mismatch", "/docs/errors/idempotency_mismatch"],
  ] as const) {
    await page.keyboard.press("/");
    const search = page.getByRole("dialog", { name: "Search the docs" });
    await expect(search.getByRole("combobox")).toBeFocused();
    await page.keyboard.type(query);
    await expect(search.getByRole("option").first()).toContainText(name);
    await expect(search.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(url);
    await expect(search).toBeHidden();
  }
});

test("the search says when nothing matches and when it couldn't load", async ({ page }) => {
  await page.goto("/docs/errors");
  await page.getByRole("banner").getByRole("button", { name: "Search the docs" }).click();
  await page.getByRole("combobox").fill("zebra");
  await expect(page.getByText("No results for “zebra”.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.route("**/docs/search.json", (route) => route.abort());
  await page.getByRole("banner").getByRole("button", { name: "Search the docs" }).click();
  await expect(page.getByText("Couldn't load search.")).toBeVisible();
  await page.unroute("**/docs/search.json");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("combobox").fill("conflict");
  await expect(page.getByRole("option").first()).toContainText("conflict");
});

test("an example is copied as shown, in the chosen language", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/docs/reference/exceptions/create-exception");
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy: Request" }).click();
  await expect.poll(copied).toContain(`curl -X POST ${new URL(page.url()).origin}/v1/exceptions`);
  await page.getByRole("radio", { name: "TypeScript" }).check({ force: true });
  await page.getByRole("button", { name: "Copy: Request" }).click();
  await expect.poll(copied).toContain("await tieout.exceptions.create(");
  await page.getByRole("radio", { name: "CLI" }).check({ force: true });
  await page.getByRole("button", { name: "Copy: Request" }).click();
  await expect.poll(copied).toContain("tieout api POST /v1/exceptions --data");
});

test("a phone's navigation opens, and closes when a link is followed", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto("/docs");
  const navigation = page.getByRole("navigation", { name: "Documentation" });
  await expect(navigation).toBeHidden();
  await page.getByRole("button", { name: "Open navigation" }).click();
  await expect(navigation).toBeVisible();
  await navigation.getByRole("link", { name: "Idempotency" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Idempotency" })).toBeVisible();
  await expect(navigation).toBeHidden();
});

test("each page links to the previous and the next one, and each heading has its own URL", async ({
  page,
}) => {
  await page.goto("/docs/guides/quickstart");
  await page
    .getByRole("navigation", { name: "Previous and next page" })
    .getByRole("link", { name: /Credentials/ })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Credentials" })).toBeVisible();
  await page.getByRole("complementary").getByRole("link", { name: "A server: API key" }).click();
  await expect(page).toHaveURL("/docs/guides/credentials#a-server-api-key");
  await expect(page.getByRole("heading", { name: "A server: API key" })).toBeInViewport();
});

test("the dashboard links to the documentation, and an error to its page there", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  const bearer = await userToken(tenant, ["tenant_admin"]);
  await api("POST", `/v1/tenants/${tenant}/api-keys`, {
    bearer,
    tenant,
    body: { name: "Bank feed", scopes: ["read:exceptions"] },
  });
  await page.goto(`/${tenant}/api-keys`);
  await page.getByRole("button", { name: /Account and preferences/ }).click();
  await expect(page.getByRole("menuitem", { name: "Documentation" })).toHaveAttribute(
    "href",
    "/docs",
  );
  await page.keyboard.press("Escape");
  await page.route("**/v1/**", (route) =>
    route.fulfill({
      status: 500,
      json: { code: "internal", detail: "Sorry.", request_id: "req_1" },
    }),
  );
  await page.getByRole("searchbox").fill("bank");
  await page.getByRole("link", { name: "internal", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "internal" })).toBeVisible();
});

// All guides use the same components, and the walk checks the longest guide. Here only their texts
// can be too wide.
test("no guide scrolls sideways on a phone", async ({ page }) => {
  await page.setViewportSize(PHONE);
  for (const slug of GUIDE_SLUGS) {
    await page.goto(`/docs/guides/${slug}`);
    await expectNoSidewaysScrolling(page, slug);
  }
});
