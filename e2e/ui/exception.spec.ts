import { expect, type Page } from "@playwright/test";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, report, rowOf } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;
let id: string;

test.beforeEach(async ({ page, context }) => {
  tenant = await createTenant();
  ({ id } = await report(tenant, { title: "Payout 4711", due_in_minutes: 30, details: { source_line: 118 } }));
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/exceptions`);
});

function panel(page: Page) {
  return page.getByRole("dialog", { name: "Payout 4711" });
}

async function stored() {
  const answer = await api("GET", `/v1/exceptions/${id}`, { bearer: await userToken(tenant, ["tenant_lead"]), tenant });
  return answer.json;
}

test("an exception opens beside the board, at an address of its own", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`exception=${id}`));
  await expect(panel(page)).toContainText('"source_line": 118');
  await page.reload();
  await expect(panel(page)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(`/${tenant}/exceptions`);
  await expect(panel(page)).toBeHidden();
});

test("by keyboard alone: open, take it, start the review, close, and be where one was", async ({ page }) => {
  const link = rowOf(page, "Payout 4711").getByRole("link");
  await link.focus();
  await page.keyboard.press("Enter");
  await expect(panel(page)).toBeVisible();

  await panel(page)
    .getByRole("button", { name: /^Assignee/ })
    .focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await expect(page.getByRole("option", { selected: true })).toHaveText("Unassigned(now)");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("option", { selected: true })).toHaveAccessibleName("ada you");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("button", { name: "Assignee: ada" })).toBeFocused();
  await expect(panel(page).getByText("Assigned to ada")).toBeVisible();

  await panel(page)
    .getByRole("button", { name: /^Status/ })
    .focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitemradio", { name: "Open" })).toBeFocused();
  await page.keyboard.press("i");
  await expect(page.getByRole("menuitemradio", { name: "In review" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(panel(page).getByText("Status is now in review")).toBeVisible();
  expect(await stored()).toMatchObject({ assigned_to: "user:ada", status: "in_review" });

  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await expect(page).toHaveURL(`/${tenant}/exceptions`);
  await expect(link).toBeFocused();
  await expect(rowOf(page, "Payout 4711")).toContainText("In review");
});

test("it is given to a member that is found by a part of the name, or to a name that is typed", async ({ page }) => {
  await sql("insert into auth.users (id, email, raw_app_meta_data) values (gen_random_uuid(), $1, $2)", [
    `zoe.quist@${tenant}.example`,
    { tenants: { [tenant]: ["tenant_lead"] } },
  ]);
  await rowOf(page, "Payout 4711").getByRole("link").click();
  const assignee = panel(page).getByRole("button", { name: /^Assignee/ });
  const options = page.getByRole("option");
  await assignee.click();
  await expect(options).toHaveText([/^Unassigned/, /ada/, /zoe\.quist.*Lead/]);
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.type("QUI");
  await expect(options).toHaveText([/zoe\.quist/, /Assign to “QUI”/]);
  await page.keyboard.press("Enter");
  await expect(panel(page).getByText("Assigned to zoe.quist")).toBeVisible();
  await expect(async () => expect(await stored()).toMatchObject({ assigned_to: "user:zoe.quist" })).toPass();

  await assignee.click();
  await page.getByRole("combobox", { name: "Assignee" }).fill("from elsewhere");
  await expect(page.getByRole("status").filter({ hasText: "Names can't contain spaces." })).toBeVisible();
  await expect(options).toHaveCount(0);
  await page.getByRole("combobox", { name: "Assignee" }).fill("from-elsewhere");
  await options.filter({ hasText: "not a listed member" }).click();
  await expect(async () => expect(await stored()).toMatchObject({ assigned_to: "user:from-elsewhere" })).toPass();

  await assignee.click();
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(options).toHaveCount(0);
  await expect(panel(page)).toBeVisible();
});

test("resolving asks for the reason, and takes the exception off the board", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await panel(page).getByRole("button", { name: "Resolve" }).click();
  await expect(panel(page).getByText("Enter a resolution.")).toBeVisible();
  await panel(page).getByLabel("Resolution").fill("Matched by hand.");
  await panel(page).getByRole("button", { name: "Resolve" }).click();
  await expect(panel(page).getByRole("button", { name: "Reopen" })).toBeVisible();
  expect(await stored()).toMatchObject({ status: "resolved", resolution: "Matched by hand." });
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "No open exceptions" })).toBeVisible();
});

test("a change that the server refuses is taken back", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  const problem = { code: "conflict", detail: "Somebody was faster.", request_id: "req_1" };
  // Nothing but the page's own memory can take it back.
  await page.route("**/v1/**", (route) =>
    route.request().method() === "PATCH" ? route.fulfill({ status: 409, json: problem }) : route.abort(),
  );
  await panel(page)
    .getByRole("button", { name: /^Assignee/ })
    .click();
  await page.getByRole("option", { name: "ada you" }).click();
  await expect(panel(page).getByText("Somebody was faster.")).toBeVisible();
  await expect(panel(page).getByRole("button", { name: "Assignee: Unassigned" })).toBeVisible();
  await expect(rowOf(page, "Payout 4711")).toContainText("Unassigned");
  expect(await stored()).toMatchObject({ assigned_to: null });
});

test("its history and its clock are told when they are opened, and follow a change", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await expect(panel(page).getByLabel("Resolution")).toBeVisible();
  expect(asked.filter((path) => /history|ledger/.test(path))).toEqual([]);

  await panel(page).getByText("History", { exact: true }).click();
  const history = panel(page).getByRole("list", { name: "History" });
  await expect(history.getByRole("listitem")).toHaveText([/robot created this exception/]);
  await panel(page).getByText("SLA timeline").click();
  const clock = panel(page).getByRole("table");
  await expect(clock.getByRole("row").nth(1)).toHaveText(/Deadline set.*0:(30:00|29:5\d)/);
  await expect(clock.getByRole("row").nth(2)).toContainText("60 min or less left");

  await panel(page).getByLabel("Resolution").fill("Matched by hand.");
  await panel(page).getByRole("button", { name: "Resolve" }).click();
  await expect(history.getByRole("listitem").first()).toContainText("ada changed");
  await expect(history.getByRole("listitem").first()).toContainText("Status: from Open → to Resolved");
  await expect(clock.getByRole("row").last()).toContainText("Resolved");
  await expect(panel(page).getByText(/Resolved .* before its deadline/)).toBeVisible();
});

test("older changes are shown when they are asked for", async ({ page }) => {
  await sql(
    `insert into public.exception_history (tenant_id, exception_id, actor, kind, changes)
     select $1, $2, 'user:leo', 'updated', jsonb_build_object('reason_code', jsonb_build_object('from', i - 1, 'to', i)) from generate_series(1, 70) i`,
    [tenant, id],
  );
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await panel(page).getByText("History", { exact: true }).click();
  const changes = panel(page).getByRole("list", { name: "History" }).getByRole("listitem");
  await expect(changes).toHaveCount(50);
  await expect(changes.first()).toContainText("Reason: from 69 → to 70");
  await panel(page).getByRole("button", { name: "Show older changes" }).click();
  await expect(changes).toHaveCount(71);
  await expect(changes.last()).toContainText("robot created this exception");
  await expect(panel(page).getByRole("button", { name: "Show older changes" })).toBeHidden();
});

test("an exception that is not there is said not to be", async ({ page }) => {
  await page.goto(`/${tenant}/exceptions?exception=exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b`);
  await expect(page.getByRole("dialog").getByText("There is no such exception.")).toBeVisible();
});
