import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";
import { editing } from "#e2e/exception-statements.ts";
import { createTenant, sql } from "../../fixtures.ts";
import { createMonth } from "../../views/month.ts";
import { report, rowOf } from "../person.ts";
import { test } from "../test.ts";
import { arrive, goTo, panel } from "./arrive.ts";

test("an auditor's morning: a proof, an exception's history, and an intact log", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const tenant = await createTenant();
  await createMonth(tenant, { open: 3 });
  const { id } = await report(tenant, { title: "Payout 4711", due_in_minutes: 90 });
  await sql(editing("'status', 'resolved', 'resolution', 'Paid'", "id = $1"), [id]);
  const name = await arrive(page, tenant, "tenant_admin");

  await goTo(page, "Reconciliations");
  await page
    .getByRole("row")
    .getByRole("link", { name: /September/ })
    .click();
  await expect(page.getByText("This period is locked.")).toBeVisible();
  await page.getByRole("link", { name: "Statement" }).click();
  await expect(page.getByText(/^Closed .* by leo$/)).toBeVisible();
  await expect(page.getByText("Holds to the cent")).toBeVisible();
  await expect(page.getByText("Nothing is outstanding.")).toBeVisible();

  await goTo(page, "Exceptions");
  await page.getByRole("radio", { name: "Closed" }).check({ force: true });
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await expect(panel(page, "Payout 4711").getByRole("list", { name: "Activity" })).toContainText(
    "robot created this exception",
  );
  await panel(page).getByText("SLA timeline").click();
  await expect(panel(page).getByText("Deadline set").first()).toBeVisible();
  await page.keyboard.press("Escape");

  await goTo(page, "Security events");
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await expect(page.getByText(/^Audit log intact: (\d+) of \1 events verified$/)).toBeVisible();
  await page
    .getByRole("link", { name: / closed / })
    .first()
    .click();
  await expect(panel(page)).toContainText("leo");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "CSV, for spreadsheets" }).click();
  expect(await readFile(await (await download).path(), "utf8")).toContain("reconciliation.closed");
  await page.getByRole("searchbox", { name: /^Actor/ }).fill(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("row").filter({ hasText: "Exported data" })).toContainText(name);
});
