import { expect, type Page } from "@playwright/test";
import { tenantWithAdmin } from "../api/api-keys/keys.ts";
import { sql } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

const card = (page: Page) => page.getByRole("region", { name: "First steps" });

test("the first steps are completed live: a key, its first call, a webhook, an event", async ({
  page,
  context,
}) => {
  const admin = await tenantWithAdmin();
  await beSignedIn(context, { [admin.tenant]: ["tenant_admin"] });
  await page.goto(`/${admin.tenant}/exceptions`);
  await expect(card(page)).toContainText("0 of 4");
  await card(page).getByRole("link", { name: "Create an API key" }).click();
  await expect(page.getByRole("dialog", { name: "Create an API key" })).toBeVisible();
  await page.keyboard.press("Escape");

  const key = await admin.create({ name: "Bank feed" });
  await expect(card(page)).toContainText("1 of 4");
  await expect(card(page)).toContainText("Waiting for your first request…");
  await admin.use(key.credential);
  await expect(page.getByRole("status").getByText("Your first request arrived")).toBeVisible();
  await expect(card(page)).toContainText("2 of 4");
  await expect(card(page).getByRole("link", { name: "To do: Register a webhook" })).toBeVisible();

  await sql(
    `insert into public.webhooks (tenant_id, url, events, last_success_at, created_by)
     values ($1, 'https://hooks.example/', '{webhook.test}', now(), 'user:ada')`,
    [admin.tenant],
  );
  await expect(page.getByRole("region", { name: "You're all set" })).toContainText("4 of 4");
  await page.reload();
  await expect(page.getByRole("heading", { name: "API keys" })).toBeVisible();
  await expect(page.getByRole("region", { name: "You're all set" })).toBeHidden();
});

test("dismissed first steps stay hidden on every device, and the menu restores them", async ({
  page,
  context,
}) => {
  const { tenant } = await tenantWithAdmin();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/exceptions`);
  const saved = page.waitForResponse(
    (response) =>
      response.url().endsWith("/v1/first-steps") && response.request().method() === "PUT",
  );
  await card(page).getByRole("button", { name: "Dismiss the first steps" }).click();
  await expect(card(page)).toBeHidden();
  await saved;
  await page.reload();
  await page.getByRole("button", { name: /ada Admin$/ }).click();
  await page.getByRole("menuitem", { name: "First steps" }).click();
  const dialog = page.getByRole("dialog", { name: "First steps" });
  await expect(dialog.getByRole("link", { name: "To do: Create an API key" })).toBeVisible();
  await dialog.getByRole("button", { name: "Show in the sidebar" }).click();
  await expect(card(page)).toContainText("0 of 4");
});

test("members who can't take the steps don't see them, and nothing is requested", async ({
  page,
  context,
}) => {
  const { tenant } = await tenantWithAdmin();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`/${tenant}/exceptions`);
  await expect(page.getByText("No open exceptions")).toBeVisible();
  await expect(card(page)).toBeHidden();
  await page.getByRole("button", { name: /ada Analyst$/ }).click();
  await expect(page.getByRole("menuitem", { name: "First steps" })).toBeHidden();
  expect(requests.filter((url) => url.includes("first-steps"))).toEqual([]);
});
