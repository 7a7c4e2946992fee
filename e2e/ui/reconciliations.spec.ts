import { expect, type Page } from "@playwright/test";
import { Fixture } from "../api/matching/matching-fixture.ts";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, createReconciliation, report, rowOf } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_lead"] });
});

const panel = (page: Page) => page.getByRole("dialog");

test("a reconciliation is created, and its page opens", async ({ page }) => {
  await page.goto(`/${tenant}/reconciliations`);
  await expect(page.getByRole("heading", { name: "No reconciliations yet" })).toBeVisible();
  await page.getByRole("button", { name: "New reconciliation" }).first().click();
  await panel(page).getByLabel("Name").fill("Payouts to bank");
  await panel(page).getByLabel("First day").fill("2026-10-01");
  await panel(page).getByLabel("Last day").fill("2026-09-30");
  await panel(page).getByText("Report counts").click();
  await panel(page).getByLabel("Left source").fill("stripe.payouts");
  await panel(page).getByLabel("Right source").fill("bank.statement");
  await panel(page).getByLabel("Matched", { exact: true }).fill("999");
  await panel(page).getByLabel("Unmatched").fill("1");
  await panel(page).getByRole("button", { name: "Create" }).click();
  await expect(panel(page).getByText("The period cannot end before it starts.")).toBeVisible();
  await panel(page).getByLabel("Last day").fill("2026-10-31");
  await panel(page).getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Payouts to bank" })).toBeVisible();
  await page
    .getByRole("navigation", { name: "Breadcrumb" })
    .getByRole("link", { name: "Reconciliations" })
    .click();
  await expect(rowOf(page, "Payouts to bank")).toContainText("1–31 Oct 2026");
  await expect(rowOf(page, "Payouts to bank")).toContainText("99.9 %");
});

test("an edit sends only the new name, so counts that were reported since then stay", async ({
  page,
}) => {
  const { id } = await createReconciliation(tenant, { name: "Payouts", matched_count: 10 });
  await page.goto(`/${tenant}/reconciliations`);
  await rowOf(page, "Payouts").getByRole("link").click();
  await page.getByRole("button", { name: "Edit" }).click();
  await panel(page).getByLabel("Name").fill("Payouts to bank");
  const bearer = await userToken(tenant, ["tenant_lead"]);
  expect(
    (
      await api("PATCH", `/v1/reconciliations/${id}`, {
        bearer,
        tenant,
        body: { matched_count: 20 },
      })
    ).status,
  ).toBe(200);
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Payouts to bank" })).toBeVisible();
  expect((await api("GET", `/v1/reconciliations/${id}`, { bearer, tenant })).json).toMatchObject({
    name: "Payouts to bank",
    matched_count: 20,
  });
});

test("the changes of a run appear even if it started and ended between two polls", async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  const fixture = await Fixture.create();
  await beSignedIn(context, { [fixture.tenant]: ["tenant_lead"] });
  await page.goto(`/${fixture.tenant}/reconciliations/${fixture.period}`);
  await expect(page.getByText("No run yet.")).toBeVisible();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/v1\/reconciliations\/[^/]+\/runs/, (route) =>
    released.then(() => route.continue()),
  );
  await fixture.run();
  const proof = page.waitForRequest(/\/proof/);
  release();
  await proof;
});

test("a period that is being closed can't be changed, says why, and shows when it is closed", async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  const fixture = await Fixture.create();
  const { tenant, period } = fixture;
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  const path = `/${tenant}/reconciliations/${period}`;
  await fixture.add("left", [{ external_id: "l1", amount_minor: 100, value_date: "2026-10-01" }]);
  await sql(
    `insert into private.closing_requests (tenant_id, reconciliation_id, pair_no, asked_by)
     select tenant_id, id, pair_no, '{}' from public.reconciliations where tenant_id = $1
       and id = $2`,
    [tenant, period],
  );
  await page.goto(`${path}/workbench`);
  await expect(page.getByRole("heading", { name: "This period is being closed" })).toBeVisible();
  await page.getByRole("link", { name: "Go to the period" }).click();
  for (const name of ["Closing…", "Edit", "Run now"]) {
    const waiting = page.getByRole("button", { name });
    await expect(waiting).toBeDisabled();
    await expect(waiting).toHaveAccessibleDescription(/^Closing this period…/);
  }
  await sql("delete from private.closing_requests where tenant_id = $1", [tenant]);
  await fixture.ok("POST", `reconciliations/${period}/close`);
  // This is long before the page would poll an idle period by itself.
  await expect(page.getByText(/This period is locked/)).toBeVisible({
    timeout: 10_000,
  });
  await expect(page.getByRole("button", { name: "Reopen" })).toBeEnabled();
  await expect(page.getByText("Closing this period…")).toBeHidden();
});

test("the list is filtered by status and period, and stays so after a reload", async ({ page }) => {
  await createReconciliation(tenant, {
    name: "September",
    period_start: "2026-09-01",
    period_end: "2026-09-30",
  });
  await createReconciliation(tenant, { name: "October", status: "in_progress" });
  await page.goto(`/${tenant}/reconciliations`);
  await page.getByRole("button", { name: "Filter by Status" }).click();
  await page.getByRole("menuitemradio", { name: "In progress" }).click();
  await expect(rowOf(page, "September")).toBeHidden();
  await expect(rowOf(page, "October")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByLabel("Period to").fill("2026-09-15");
  await expect(rowOf(page, "October")).toBeHidden();
  await expect(page).toHaveURL(/period_to=2026-09-15/);
  await page.reload();
  await expect(rowOf(page, "September")).toBeVisible();
  await expect(rowOf(page, "October")).toBeHidden();
  await page.getByLabel("Period from").fill("2026-12-01");
  await expect(page.getByRole("heading", { name: "No matching reconciliations" })).toBeVisible();
});

test("a reconciliation's page shows, counts and links to its exceptions", async ({ page }) => {
  const { id } = await createReconciliation(tenant, { name: "Payouts to bank" });
  const other = await createReconciliation(tenant, { name: "Other" });
  await report(tenant, { title: "Of this one", due_in_minutes: 30, reconciliation_id: id });
  await report(tenant, { title: "Of the other", due_in_minutes: 30, reconciliation_id: other.id });
  await page.goto(`/${tenant}/reconciliations/${id}`);
  await expect(rowOf(page, "Of this one")).toBeVisible();
  await expect(rowOf(page, "Of the other")).toBeHidden();
  await expect(page.getByRole("definition").filter({ hasText: /^1$/ })).toBeVisible();
  await rowOf(page, "Of this one").getByRole("link").click();
  await expect(page).toHaveURL(/exceptions\?exception=exc_/);
  await expect(panel(page)).toContainText("Of this one");
});

test("the status offers only allowed transitions, and fields can be edited", async ({ page }) => {
  const { id } = await createReconciliation(tenant, { name: "Payouts to bank" });
  await page.goto(`/${tenant}/reconciliations/${id}`);
  await page.getByRole("button", { name: "Status: Open" }).click();
  await expect(page.getByRole("menuitemradio")).toHaveText(["Open", "In progress", "Archived"]);
  await page.getByRole("menuitemradio", { name: "In progress" }).click();
  await expect(page.getByRole("button", { name: "Status: In progress" })).toBeVisible();
  await page.getByRole("button", { name: "Edit" }).click();
  await panel(page).getByLabel("Unmatched").fill("3");
  await panel(page).getByRole("button", { name: "Save changes" }).click();
  await expect(panel(page)).toBeHidden();
  await expect(page.getByRole("definition").filter({ hasText: /^3$/ })).toBeVisible();
  const { json } = await api("GET", `/v1/reconciliations/${id}`, {
    bearer: await userToken(tenant, ["tenant_lead"]),
    tenant,
  });
  expect(json).toMatchObject({ status: "in_progress", unmatched_count: 3, matched_count: 4977 });
  await page.getByRole("button", { name: "Status: In progress" }).click();
  await page.getByRole("menuitemradio", { name: "Archived" }).click();
  await expect(page.getByRole("button", { name: /^Status:/ })).toBeHidden();
});

test("an analyst can only read, and sees which roles may write", async ({ page, context }) => {
  const { id } = await createReconciliation(tenant, { name: "Payouts to bank" });
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/reconciliations`);
  await expect(page.getByText("Ask an admin or a lead to make changes.")).toBeVisible();
  await page.goto(`/${tenant}/reconciliations/${id}`);
  await expect(page.getByRole("heading", { level: 1, name: "Payouts to bank" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Edit" })).toBeHidden();
});

test("an error shows its request id, and trying again works", async ({ page }) => {
  await createReconciliation(tenant, { name: "Payouts to bank" });
  await page.goto(`/${tenant}/reconciliations`);
  await expect(rowOf(page, "Payouts to bank")).toBeVisible();
  const problem = {
    code: "unavailable",
    status: 503,
    detail: "The database is unavailable right now.",
    request_id: "req_known",
  };
  const isList = (url: URL) => url.pathname === "/v1/reconciliations";
  await page.route(isList, (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", json: problem }),
  );
  await page.getByRole("button", { name: "Filter by Status" }).click();
  await page.getByRole("menuitemradio", { name: "Open" }).click();
  await expect(page.getByText("Request req_known")).toBeVisible();
  await page.unroute(isList);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(rowOf(page, "Payouts to bank")).toBeVisible();
});
