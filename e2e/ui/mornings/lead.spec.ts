import { expect } from "@playwright/test";
import { createTenant } from "../../fixtures.ts";
import { createMonth } from "../../views/month.ts";
import { report, rowOf } from "../person.ts";
import { test } from "../test.ts";
import { arrive, goTo, panel } from "./arrive.ts";

const OPEN = 6;
/** Two thirds of the open lines. */
const SUGGESTED = 4;

test("a lead's morning: hand out late work, close the month, read its statement", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const tenant = await createTenant();
  await createMonth(tenant, { open: OPEN });
  await report(tenant, {
    title: "Payout 4711",
    due_in_minutes: -30,
    amount_minor: 125_000,
    currency: "EUR",
  });
  const name = await arrive(page, tenant, "tenant_lead");

  await page
    .getByRole("list", { name: "Open exceptions" })
    .getByRole("link", { name: /^Breached/ })
    .click();
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await expect(panel(page, "Payout 4711")).toBeVisible();
  await page.keyboard.press("a");
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.type("leo");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, "Payout 4711")).toContainText("leo");
  await page.keyboard.press("Escape");

  await goTo(page, "Reconciliations");
  await page
    .getByRole("row")
    .getByRole("link", { name: /October/ })
    .click();
  await expect(page.getByText("Same reference", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: /^Workbench/ }).click();
  const match = page.getByRole("button", { name: "Match", exact: false }).first();
  for (let left = SUGGESTED; left > 0; left -= 1) {
    await expect(page.getByText(`${left} open`, { exact: true }).first()).toBeVisible();
    await expect(match).toBeEnabled();
    await page.keyboard.press("Enter");
    // A difference has to be explained before it is booked.
    const explain = page.getByRole("dialog", { name: /^Match and explain/ });
    const done = page.getByText(left > 1 ? `${left - 1} open` : "Nothing is open on this side.", {
      exact: true,
    });
    await expect(explain.or(done.first())).toBeVisible();
    if (await explain.isVisible())
      await explain.getByRole("button", { name: /^Write off/ }).click();
  }
  await expect(page.getByText("Nothing is open on this side.")).toBeVisible();

  await page
    .getByRole("navigation", { name: "Breadcrumb" })
    .getByRole("link", { name: /October/ })
    .click();
  await page.getByRole("button", { name: "Close period" }).click();
  await expect(panel(page)).toContainText("2 open lines are carried into the next period");
  await panel(page).getByRole("button", { name: "Close period" }).click();
  await expect(page.getByText("This period is locked.")).toBeVisible();
  await page.getByRole("link", { name: "Statement" }).click();
  await expect(page.getByText(new RegExp(`^Closed .* by ${name}$`))).toBeVisible();
  await expect(page.getByText("Holds to the cent")).toBeVisible();
});
