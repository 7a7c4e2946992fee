import { expect, type Page } from "@playwright/test";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import { type Trail, tamper, tenantWithTrail } from "../api/security-events/trail.ts";
import { api, sql, stack } from "../fixtures.ts";
import { until } from "../until.ts";
import { beSignedIn, tabTo } from "./person.ts";
import { expectAxeFindsNothing } from "./soundness.ts";
import { test } from "./test.ts";

let trail: Trail;

test.beforeEach(async ({ context }) => {
  trail = await tenantWithTrail();
  await beSignedIn(context, { [trail.tenant]: ["tenant_admin"] });
});

const call = (
  method: string,
  path: string,
  body?: object,
  bearer = trail.admin,
  headers: Record<string, string> = {},
) => api(method, path, { bearer, tenant: trail.tenant, body, headers });

/**
 * Causes four events: a key is created and renamed, a stranger is refused, and a service-role key
 * is used.
 */
async function causeEvents(): Promise<NewApiKey> {
  const path = `/v1/tenants/${trail.tenant}/api-keys`;
  const key = (await call("POST", path, { name: "Nightly", scopes: ["read:exceptions"] }))
    .json as NewApiKey;
  await call("PATCH", `${path}/${key.id}`, { name: "Weekly" });
  const stranger = await tenantWithTrail();
  await call("GET", "/v1/me", undefined, stranger.admin);
  await call("GET", "/v1/exceptions", undefined, stack.secretKey, {
    "X-Audit-Reason": "Support case 118",
  });
  await until("all events are recorded", async () => (await trail.list()).items.length === 4);
  return key;
}

const rows = (page: Page) =>
  page
    .getByRole("table", { name: "Security events" })
    .getByRole("row")
    .filter({ has: page.getByRole("link") });

test("today's cross-tenant calls are filtered, opened and exported", async ({ page }) => {
  await causeEvents();
  await page.goto(`/${trail.tenant}/security-events`);
  await expect(rows(page)).toHaveCount(4);
  await page.getByRole("button", { name: "Filter by Last 7 days" }).click();
  await page.getByRole("menuitemradio", { name: "Today" }).click();
  await page.getByRole("button", { name: "Cross-tenant" }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/period=today/);
  await expect(page).toHaveURL(/across=true/);
  for (const row of await rows(page).all())
    await expect(row.getByText("Cross-tenant")).toBeVisible();

  await page.getByRole("link", { name: "Called with the service-role key" }).click();
  const panel = page.getByRole("dialog", { name: "Called with the service-role key" });
  await expect(panel.getByText("Support case 118")).toBeVisible();
  await expect(
    panel.getByText(`A service-role key (all tenants), used for ${trail.tenant}`),
  ).toBeVisible();
  await expect(panel.getByText("listExceptions")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: "Called with the service-role key" })).toBeFocused();

  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "CSV, for spreadsheets" }).click();
  const file = await (await download).createReadStream();
  const csv = (await file.toArray()).join("");
  expect(csv.trimEnd().split("\r\n")).toHaveLength(3);
  expect(csv).toContain("Support case 118");

  await page.getByRole("button", { name: "Clear filters" }).click();
  const exported = rows(page).filter({ hasText: "Exported data" });
  await expect(exported).toBeVisible();
  await exported.getByRole("link", { name: "Exported data" }).click();
  await expect(page.getByRole("dialog").getByLabel("Event details")).toContainText(
    "Cross tenantYes",
  );
});

test("a change shows both values, its target and its actor's other events", async ({ page }) => {
  await causeEvents();
  await page.goto(`/${trail.tenant}/security-events?type=api_key.*`);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("link", { name: "ada changed the key Weekly" }).click();
  const panel = page.getByRole("dialog", { name: "ada changed the key Weekly" });
  await expect(panel.getByRole("listitem").filter({ hasText: "name" })).toContainText(
    /Before: Nightly.*After: Weekly/s,
  );
  await panel.getByText("Audit log entry").click();
  await expect(panel.getByText("Previous hash")).toBeVisible();
  await panel.getByRole("button", { name: "Show all by this actor" }).click();
  await expect(page).toHaveURL(/actor=user:ada/);
  await expect(panel).toBeHidden();
  await page.getByLabel("Search names, IDs and reasons").fill("weekly");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("link", { name: "Weekly", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Weekly" })).toBeVisible();
});

test("a button verifies the audit log, and shows where a broken one fails", async ({ page }) => {
  await trail.append(12);
  await page.goto(`/${trail.tenant}/security-events`);
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await expect(
    page.getByRole("status").getByText("Audit log intact: 12 of 12 events verified"),
  ).toBeVisible();
  await tamper([
    "update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 7",
    [trail.tenant],
  ]);
  await page.getByRole("button", { name: "Verify again" }).click();
  await expect(page.getByRole("status").getByText("Audit log broken at event 7")).toBeVisible();
  await expect(page.getByText("Verified up to event 6.")).toBeVisible();
  await expectAxeFindsNothing(page);
  await page.getByRole("button", { name: "Open the event" }).click();
  await expect(page.getByRole("dialog", { name: "eve test done" })).toBeVisible();
});

test("a range of days is in the reader's time zone, and in the URL", async ({ page }) => {
  // Older than the events that the list shows at first, but within the retention period.
  const day = (after: number) =>
    new Date(Date.now() + (after - 100) * 86_400_000).toISOString().slice(0, 10);
  const [before, chosen, next] = [day(-1), day(0), day(1)];
  for (const at of [`${before}T22:30:00Z`, `${chosen}T12:00:00Z`, `${next}T00:30:00Z`]) {
    await sql(
      `insert into public.security_events (tenant_id, at, type, actor)
       values ($1, $2, 'test.done', 'user:ada')`,
      [trail.tenant, at],
    );
  }
  await page.goto(`/${trail.tenant}/security-events`);
  await expect(page.getByText("No matching events")).toBeVisible();
  await page.getByRole("button", { name: "Filter by Last 7 days" }).click();
  await page.getByRole("menuitemradio", { name: "Custom range" }).click();
  await page.getByLabel("From", { exact: true }).fill(chosen);
  await page.getByLabel("To", { exact: true }).fill(chosen);
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await page
    .context()
    .addCookies([
      { name: "tieout.time-zone", value: "Asia%2FTokyo", domain: "localhost", path: "/" },
    ]);
  await page.reload();
  await expect(rows(page)).toHaveCount(2);
});

test("more events load near the end, and events are filtered by the actor's name", async ({
  page,
}) => {
  await trail.append(130);
  await sql(
    `insert into public.security_events (tenant_id, type, actor)
     values ($1, 'test.done', 'user:bob')`,
    [trail.tenant],
  );
  await page.goto(`/${trail.tenant}/security-events`);
  await page.getByText("Loading more…").scrollIntoViewIfNeeded();
  await expect(rows(page)).toHaveCount(131);
  await expect(page.getByText("All 131 shown")).toBeVisible();
  const who = page.getByRole("searchbox", { name: /^Actor/ });
  await who.fill("bob");
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/actor=user:bob/);
  await who.fill("nobody");
  await page.getByRole("button", { name: "Show all events" }).click();
  await expect(page).toHaveURL(/period=all/);
  await expect(rows(page).first()).toBeVisible();
});

test("the audit log is verified and read by keyboard alone", async ({ page }) => {
  await causeEvents();
  await page.goto(`/${trail.tenant}/security-events`);
  await tabTo(page, page.getByRole("button", { name: "Verify", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page.getByText("Audit log intact: 4 of 4 events verified")).toBeVisible();
  // The rows are one tab stop, and the arrow keys move between them.
  const changed = page.getByRole("link", { name: "ada changed the key Weekly" });
  await tabTo(page, rows(page).first().getByRole("link").first());
  const isFocused = () => changed.evaluate((link) => link === document.activeElement);
  for (let down = await rows(page).count(); down > 1 && !(await isFocused()); down -= 1)
    await page.keyboard.press("ArrowDown");
  await expect(changed).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "ada changed the key Weekly" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: "ada changed the key Weekly" })).toBeFocused();
  await page.keyboard.press("Home");
  await expect(rows(page).first().getByRole("link").first()).toBeFocused();
});

test("an empty log explains itself, and one that can't load says what failed", async ({ page }) => {
  await page.goto(`/${trail.tenant}/security-events?period=all`);
  await expect(page.getByRole("heading", { name: "No security events yet" })).toBeVisible();
  await page.route("**/v1/security-events?**", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({
        code: "unavailable",
        detail: "The database is unavailable right now.",
        request_id: "req_test",
      }),
    }),
  );
  await page.getByRole("button", { name: "Filter by Kind" }).click();
  await page.getByRole("menuitemradio", { name: "Webhooks" }).click();
  await expect(page.getByText("Request req_test")).toBeVisible({ timeout: 30_000 });
  await page.unroute("**/v1/security-events?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("No matching events")).toBeVisible();
});

test("a filter from a link shows its resource's name, in events and in requests", async ({
  page,
}) => {
  const { id } = await causeEvents();
  await page.goto(`/${trail.tenant}/security-events?target=${id}`);
  await expect(page.getByRole("button", { name: "About Weekly" })).toBeVisible();
  await page.goto(`/${trail.tenant}/requests?api_key_id=${id}`);
  await expect(page.getByRole("button", { name: /^Weekly/ })).toBeVisible();
});
