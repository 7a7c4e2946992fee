import { expect } from "@playwright/test";
import { createTenant, enrol } from "../fixtures.ts";
import { enter } from "./person.ts";
import { test } from "./test.ts";

test("an admin creates a sandbox with the sample month, and every page says so", async ({
  page,
}) => {
  const tenant = await createTenant();
  const admin = await enrol({ [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/sandbox`);
  await enter(page, admin.email);
  const mark = page.getByRole("button", {
    name: `Switch tenant from Tenant ${tenant} Sandbox`,
  });
  await page.getByRole("button", { name: "Create sandbox" }).click();
  await expect(page).toHaveURL(`/${tenant}.sandbox/sandbox`);
  await expect(mark).toBeVisible();

  await page.getByRole("button", { name: "Load sample month" }).click();
  await page.getByRole("button", { name: "Delete data and load" }).click();
  await expect(page).toHaveURL(/\.sandbox\/reconciliations\/rcn_\w+\/workbench/);
  await expect(page.getByText("RG-1003").first()).toBeVisible();
  await page.goto(`/${tenant}.sandbox/exceptions`);
  await expect(page.getByText("Lindt Logistik KG has two customer numbers")).toBeVisible();
  await expect(mark).toBeVisible();

  await page.goto(`/${tenant}.sandbox/members`);
  await expect(page.getByText("A sandbox has the members of its live tenant.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Invite" })).toHaveCount(0);
  await page.getByRole("button", { name: "Switch tenant" }).first().click();
  await page.getByRole("menuitem", { name: `Tenant ${tenant} ${tenant}`, exact: true }).click();
  await expect(page).toHaveURL(`/${tenant}/members`);
  await page.goto(`/${tenant}/exceptions`);
  await expect(page.getByText("Lindt Logistik KG has two customer numbers")).toHaveCount(0);
});
