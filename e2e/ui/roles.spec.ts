import { expect } from "@playwright/test";
import { createTenant } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

test("every page tells a member without a role what is missing and who can grant it", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: [] });
  const paths = [
    "exceptions",
    "exceptions/import",
    "sla-policy",
    "calendars",
    "reconciliations",
    "integrations",
    "release-notes",
    "api-keys",
    "webhooks",
  ];
  for (const path of paths) {
    await page.goto(`/${tenant}/${path}`);
    await expect(
      page.getByRole("heading", { name: /Your role doesn't allow this|Admins manage/ }),
      path,
    ).toBeVisible();
    await expect(page.getByText("Ask a tenant admin").first(), path).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  }
});

test("another tenant's pages and unknown pages say that they don't exist", async ({
  page,
  context,
}) => {
  const [tenant, other] = [await createTenant(), await createTenant()];
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  for (const path of [
    `/${other}/exceptions`,
    `/${tenant}/runbooks`,
    `/${tenant}/webhooks/whk_00000000000000000000`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Page not found" }), path).toBeVisible();
  }
});
