import { expect } from "@playwright/test";
import { editing } from "#e2e/exception-statements.ts";
import { createTenant, sql } from "../../fixtures.ts";
import { report, rowOf } from "../person.ts";
import { test } from "../test.ts";
import { arrive, panel } from "./arrive.ts";

test("an analyst's morning: assigned exceptions, the queue by keyboard, the rest in bulk", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const tenant = await createTenant();
  for (const [nth, due_in_minutes] of [45, 90, 150, 600, 700].entries())
    await report(tenant, {
      title: `Payout ${nth + 1}`,
      due_in_minutes,
      severity: nth === 2 ? "critical" : "medium",
    });
  const name = await arrive(page, tenant, "tenant_analyst");
  await sql(editing(`'assigned_to', $2::text`, `tenant_id = $1 and title = 'Payout 1'`), [
    tenant,
    `user:${name}`,
  ]);

  await page
    .getByRole("list", { name: "Assigned to you" })
    .getByRole("link", { name: "Payout 1" })
    .click();
  await panel(page, "Payout 1").getByRole("button", { name: "Resolve" }).click();
  await expect(panel(page, "Payout 1").getByLabel("Resolution")).toBeFocused();
  await page.keyboard.type("tim");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, "Payout 1")).toBeHidden();
  await page.keyboard.press("Escape");

  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click();
  await expect(page.getByText("Nothing is assigned to you.")).toBeVisible();
  await page
    .getByRole("list", { name: "Breaches next" })
    .getByRole("link", { name: "Payout 2" })
    .click();
  await panel(page, "Payout 2").getByRole("button", { name: "To me" }).click();
  await expect(rowOf(page, "Payout 2")).toContainText(name);
  await page.keyboard.press("c");
  await expect(page.getByRole("textbox", { name: "Comment" })).toBeFocused();
  await page.keyboard.type("Asked the bank");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("textbox", { name: "Comment" })).toBeHidden();
  await expect(panel(page, "Payout 2").getByText("Asked the bank")).toBeVisible();
  await page.keyboard.press("j");
  await expect(panel(page, "Payout 3")).toBeVisible();
  await page.keyboard.press("m");
  await expect(rowOf(page, "Payout 3")).toContainText(name);
  await page.keyboard.press("Escape");

  for (const title of ["Payout 4", "Payout 5"])
    await rowOf(page, title).getByRole("checkbox").check();
  const bar = page.getByRole("region", { name: "Selected exceptions" });
  await bar.getByRole("button", { name: "Assign" }).click();
  await page.getByRole("combobox", { name: "Assignee" }).fill(name);
  await page.getByRole("option", { name }).first().click();
  await expect(rowOf(page, "Payout 5")).toContainText(name);

  await report(tenant, { title: "Payout 6", due_in_minutes: 30 });
  await page.mouse.move(0, 0);
  await expect(rowOf(page, "Payout 6")).toBeVisible();
  await expect(rowOf(page, "Payout 6")).toContainText("Unassigned");

  await page.getByRole("button", { name: /^Filter by Assignee/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^Me/ }).click();
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "Payout 6")).toBeHidden();
  await page.getByRole("button", { name: "Save view" }).click();
  await panel(page).getByLabel("Name").fill("Mine");
  await panel(page).getByRole("button", { name: "Save view" }).click();
  await expect(page.getByRole("navigation", { name: "Saved views" })).toContainText(/Mine\s*4/);
});
