import { expect, type Page } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn, report } from "./person.ts";
import { anotherContext, test } from "./test.ts";

const rows = (page: Page) => page.getByRole("row").locator("a[data-row]");
const tabs = (page: Page) => page.getByRole("navigation", { name: "Saved views" });
const check = (page: Page, name: string | RegExp) =>
  page.getByRole("menuitemcheckbox", { name }).click();

async function tenantWithWork(): Promise<string> {
  const tenant = await createTenant();
  await report(tenant, {
    title: "Ana's",
    due_in_minutes: 100,
    severity: "critical",
    assigned_to: "user:ana",
  });
  await report(tenant, { title: "Nobody's", due_in_minutes: 200, severity: "critical" });
  await report(tenant, {
    title: "Leo's",
    due_in_minutes: 300,
    severity: "high",
    assigned_to: "user:leo",
  });
  await report(tenant, {
    title: "Later",
    due_in_minutes: 400,
    severity: "low",
    assigned_to: "user:leo",
  });
  return tenant;
}

test("filters with several values count what each would add, and work with Back and Forward", async ({
  page,
  context,
}) => {
  const tenant = await tenantWithWork();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  await page.goto(`/${tenant}`);
  await page.getByRole("link", { name: /^Total open/ }).click();
  await expect(rows(page)).toHaveCount(4);
  await page.getByRole("button", { name: "Filter by Severity" }).click();
  await check(page, "Critical 2");
  await check(page, "High 1");
  await page.keyboard.press("Escape");
  await expect(rows(page)).toHaveText(["Ana's", "Nobody's", "Leo's"]);
  await page.getByRole("button", { name: "Filter by Assignee" }).click();
  await check(page, "Me 1");
  await check(page, "Unassigned 1");
  // A filter's own choice hides none of its values.
  await expect(page.getByRole("menuitemcheckbox", { name: /leo 1$/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows(page)).toHaveText(["Ana's", "Nobody's"]);
  await page.reload();
  await expect(rows(page)).toHaveText(["Ana's", "Nobody's"]);
  await page.goBack();
  await expect(page).toHaveURL(`/${tenant}`);
  await page.goForward();
  await expect(rows(page)).toHaveText(["Ana's", "Nobody's"]);
});

test("a view is saved, shared, opened by a colleague with their own exceptions, and deleted", async ({
  page,
  context,
  browser,
}) => {
  const tenant = await tenantWithWork();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  await page.goto(`/${tenant}/exceptions?assigned_to=me`);
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("On my desk");
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await expect(tabs(page).getByRole("button", { name: /^On my desk 1$/ })).toHaveAttribute(
    "aria-current",
    "true",
  );
  await expect(page.getByRole("button", { name: "Save view" })).toBeHidden();

  const colleague = await anotherContext(browser);
  await beSignedIn(colleague, { [tenant]: ["tenant_lead"] }, "leo");
  const theirs = await colleague.newPage();
  await theirs.goto(`/${tenant}/exceptions`);
  await expect(rows(theirs)).toHaveCount(4);
  await expect(tabs(theirs)).toBeHidden();
  await page.getByRole("button", { name: "View On my desk" }).click();
  await page.getByRole("menuitem", { name: "Share with everyone" }).click();
  await expect(page.getByText("Shared with everyone in this tenant")).toBeVisible();

  await theirs.reload();
  await tabs(theirs).getByRole("button", { name: "Shared On my desk 2" }).click();
  await expect(rows(theirs)).toHaveText(["Leo's", "Later"]);
  await theirs.getByRole("button", { name: "View On my desk" }).click();
  await expect(theirs.getByText("Shared by ana")).toBeVisible();
  await expect(theirs.getByRole("menuitem")).toHaveText(["Copy link"]);
  await theirs.keyboard.press("Escape");
  await theirs.getByRole("button", { name: "Filter by Severity" }).click();
  await check(theirs, "High");
  await theirs.keyboard.press("Escape");
  await expect(theirs.getByRole("button", { name: "Save as new view" })).toBeVisible();
  await expect(theirs.getByRole("button", { name: /^Update / })).toBeHidden();
  await colleague.close();

  await page.getByRole("button", { name: "View On my desk" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Mine today");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Filter by Assignee" }).click();
  await check(page, "Unassigned 1");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Update Mine today" }).click();
  await expect(tabs(page).getByRole("button", { name: /Mine today 2$/ })).toHaveAttribute(
    "aria-current",
    "true",
  );
  await expect(page.getByRole("button", { name: "Update Mine today" })).toBeHidden();

  await page.getByRole("button", { name: "View Mine today" }).click();
  await page.getByRole("menuitem", { name: "Delete view" }).click();
  await expect(page.getByText("Deleted Mine today")).toBeVisible();
  await expect(tabs(page)).toBeHidden();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(tabs(page).getByRole("button", { name: /^Shared Mine today 2$/ })).toBeVisible();
  await expect(rows(page)).toHaveText(["Ana's", "Nobody's"]);
});

test("an admin deletes a colleague's view after a warning, and never becomes its owner", async ({
  page,
  context,
}) => {
  const tenant = await tenantWithWork();
  const body = { name: "Urgent", shared: true, filters: { severity: ["critical"] } };
  await api("POST", "/v1/views", {
    bearer: await userToken(tenant, ["tenant_lead"], "leo"),
    tenant,
    body,
  });
  await beSignedIn(context, { [tenant]: ["tenant_admin"] }, "ada");
  await page.goto(`/${tenant}/exceptions?severity=critical`);
  await page.getByRole("button", { name: "View Urgent" }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Copy link", "Rename", "Delete view"]);
  await page.getByRole("menuitem", { name: "Delete view" }).click();
  await expect(page.getByRole("dialog")).toContainText("only leo can save it as theirs again");
  await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await expect(page.getByText("Deleted Urgent")).toBeVisible();
  await expect(tabs(page)).toBeHidden();
  await expect(page.getByRole("button", { name: "Undo", exact: true })).toBeHidden();
});
