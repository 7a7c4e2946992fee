import { expect, test } from "@playwright/test";
import { createTenant } from "../fixtures.ts";
import { beSignedIn, reconcile } from "./person.ts";

test("what the server cannot answer is said with the request's id, and trying again works", async ({ page, context }) => {
  const tenant = await createTenant();
  await reconcile(tenant, { name: "Payouts to bank" });
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/reconciliations`);
  const row = page.getByRole("row").filter({ hasText: "Payouts to bank" });
  await expect(row).toBeVisible();
  const asked = (url: URL) => url.pathname === "/v1/reconciliations";
  await page.route(asked, (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      json: { code: "unavailable", status: 503, detail: "The database is unavailable right now.", request_id: "req_known" },
    }),
  );
  await page.getByRole("button", { name: "Filter by Status" }).click();
  await page.getByRole("menuitemradio", { name: "Open" }).click();
  await expect(page.getByText("Request req_known")).toBeVisible();
  await page.unroute(asked);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(row).toBeVisible();
});

test("a member without a role is told so on every page, in the shell", async ({ page, context }) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: [] });
  for (const path of ["exceptions", "reconciliations", "integrations", "release-notes", "api-keys"]) {
    await page.goto(`/${tenant}/${path}`);
    await expect(page.getByRole("heading", { name: /Your role doesn't allow this|Admins manage/ }), path).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  }
});
