import { expect, test } from "@playwright/test";
import { slugOf } from "#components/docs/slug.ts";
import { EVENT_KINDS } from "#lib/events/contract.ts";
import { GUIDE_SLUGS } from "#lib/guides/guides.ts";
import { ERROR_CODES } from "#lib/wire/errors.ts";
import { CONTRACTS } from "#lib/wire/operations.ts";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { complaintsOf, expectSound, expectSoundInBothThemes, WIDTHS } from "./soundness.ts";

const SCRIPT_MAX_BYTES = 250_000;

const OPERATIONS = CONTRACTS.map(({ tag, operationId }) => `/docs/reference/${slugOf(tag)}/${slugOf(operationId)}`);

/** Each kind of page. */
const KINDS = [
  "/docs",
  "/docs/guides",
  "/docs/guides/webhooks",
  "/docs/reference",
  "/docs/reference/exceptions",
  "/docs/reference/exceptions/create-exception",
  "/docs/reference/events",
  "/docs/reference/events/exception.sla.at_risk",
  "/docs/errors",
  "/docs/errors/rate_limited",
  "/docs/no-such-page",
];

/** What is written by hand; all others are made from the contracts, each kind alike. */
const GUIDES = GUIDE_SLUGS.map((slug) => `/docs/guides/${slug}`);

const MADE = [
  ...new Set(CONTRACTS.map(({ tag }) => `/docs/reference/${slugOf(tag)}`)),
  ...OPERATIONS,
  ...EVENT_KINDS.map((kind) => `/docs/reference/events/${kind}`),
  ...ERROR_CODES.map((code) => `/docs/errors/${code}`),
];

for (const path of KINDS) {
  for (const width of WIDTHS) {
    test(`${path}, ${width} px: in both themes nothing that axe finds, no complaint, no sideways scrolling`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      const complaints = complaintsOf(page);
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      for (const summary of await page.locator("main summary").all()) await summary.click();
      await expectSoundInBothThemes(page, width);
      expect(complaints.filter((text) => !text.includes("the server responded with a status of 404"))).toEqual([]);
    });
  }
}

for (const path of GUIDES) {
  test(`${path} at 360 px: nothing that axe finds, no complaint, no sideways scrolling`, async ({ page }) => {
    const complaints = complaintsOf(page);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(path);
    await expectSound(page, 360);
    expect(complaints).toEqual([]);
  });
}

test("every page made from the contracts is there, and fits a phone", async ({ page }) => {
  test.setTimeout(300_000);
  const complaints = complaintsOf(page);
  await page.setViewportSize({ width: 360, height: 800 });
  for (const path of MADE) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
  }
  expect(complaints).toEqual([]);
});

for (const path of KINDS) {
  test(`${path}: at most ${SCRIPT_MAX_BYTES / 1000} kB of script over the wire`, async ({ page }) => {
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (request.resourceType() === "script") sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThanOrEqual(SCRIPT_MAX_BYTES);
  });
}

test("the search finds a guide, an operation and an error by keyboard alone, and goes there", async ({ page }) => {
  await page.goto("/docs");
  await page.waitForLoadState("networkidle");
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
    await expectSound(page, 1440);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(url);
    await expect(search).toBeHidden();
  }
});

test("the search says when nothing matches, and when it could not be loaded", async ({ page }) => {
  await page.goto("/docs/errors");
  await page.getByRole("banner").getByRole("button", { name: "Search the docs" }).click();
  await page.getByRole("combobox").fill("zebra");
  await expect(page.getByText("Nothing matches “zebra”.")).toBeVisible();
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

test("an example is copied as it is shown, in the language that was chosen", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/docs/reference/exceptions/create-exception");
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy: Request" }).click();
  await expect.poll(copied).toContain(`curl -X POST ${new URL(page.url()).origin}/v1/exceptions`);
  await page.getByRole("radio", { name: "TypeScript" }).check({ force: true });
  await page.getByRole("button", { name: "Copy: Request" }).click();
  await expect.poll(copied).toContain("await fetch(");
});

test("a phone's navigation opens, leads on, and closes", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto("/docs");
  const navigation = page.getByRole("navigation", { name: "Documentation" });
  await expect(navigation).toBeHidden();
  await page.getByRole("button", { name: "Open navigation" }).click();
  await expect(navigation).toBeVisible();
  await expectSound(page, 360);
  await navigation.getByRole("link", { name: "Idempotency" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Idempotency" })).toBeVisible();
  await expect(navigation).toBeHidden();
});

test("the pages before and after are one step away, and a heading's link is its address", async ({ page }) => {
  await page.goto("/docs/guides/quickstart");
  await page
    .getByRole("navigation", { name: "Before and after" })
    .getByRole("link", { name: /Credentials/ })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Credentials" })).toBeVisible();
  await page.getByRole("complementary").getByRole("link", { name: "A server: API key" }).click();
  await expect(page).toHaveURL("/docs/guides/credentials#a-server-api-key");
  await expect(page.getByRole("heading", { name: "A server: API key" })).toBeInViewport();
});

test("the dashboard leads to the documentation, and an error of a page to its own page there", async ({ page, context }) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  const bearer = await userToken(tenant, ["tenant_admin"]);
  await api("POST", `/v1/tenants/${tenant}/api-keys`, { bearer, tenant, body: { name: "Bank feed", scopes: ["read:exceptions"] } });
  await page.goto(`/${tenant}/api-keys`);
  await page.getByRole("button", { name: /Account and preferences/ }).click();
  await expect(page.getByRole("menuitem", { name: "Documentation" })).toHaveAttribute("href", "/docs");
  await page.keyboard.press("Escape");
  await page.route("**/v1/**", (route) =>
    route.fulfill({ status: 500, json: { code: "internal", detail: "Sorry.", request_id: "req_1" } }),
  );
  await page.getByRole("searchbox").fill("bank");
  await page.getByRole("link", { name: "internal", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "internal" })).toBeVisible();
});
