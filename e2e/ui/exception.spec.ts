import { expect, type Page } from "@playwright/test";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, report, rowOf } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;
let id: string;

test.beforeEach(async ({ page, context }) => {
  tenant = await createTenant();
  ({ id } = await report(tenant, {
    title: "Payout 4711",
    due_in_minutes: 30,
    details: { source_line: 118 },
  }));
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/exceptions`);
});

function panel(page: Page) {
  return page.getByRole("dialog", { name: "Payout 4711" });
}

async function stored() {
  const answer = await api("GET", `/v1/exceptions/${id}`, {
    bearer: await userToken(tenant, ["tenant_lead"]),
    tenant,
  });
  return answer.json;
}

test("an exception opens next to the board with its own URL", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`exception=${id}`));
  await expect(panel(page)).toContainText("Source line118");
  await page.reload();
  await expect(panel(page)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(`/${tenant}/exceptions`);
  await expect(panel(page)).toBeHidden();
});

test("an exception is opened, assigned and put in review by keyboard alone", async ({ page }) => {
  const link = rowOf(page, "Payout 4711").getByRole("link");
  await link.focus();
  await page.keyboard.press("Enter");
  await expect(panel(page)).toBeVisible();

  await panel(page)
    .getByRole("button", { name: /^Assignee/ })
    .focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await expect(page.getByRole("option", { selected: true })).toHaveAccessibleName("ada you");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("button", { name: "Assignee: ada" })).toBeFocused();
  await expect(page.getByText("Assigned to ada")).toBeVisible();

  await panel(page)
    .getByRole("button", { name: /^Status/ })
    .focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitemradio", { name: "Open" })).toBeFocused();
  await page.keyboard.press("i");
  await expect(page.getByRole("menuitemradio", { name: "In review" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Status is now in review")).toBeVisible();
  expect(await stored()).toMatchObject({ assigned_to: "user:ada", status: "in_review" });

  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await expect(page).toHaveURL(`/${tenant}/exceptions`);
  await expect(link).toBeFocused();
  await expect(rowOf(page, "Payout 4711")).toContainText("In review");
});

test("an exception is assigned to a member found by part of the name, or to a typed name", async ({
  page,
}) => {
  await sql(
    "insert into auth.users (id, email, raw_app_meta_data) values (gen_random_uuid(), $1, $2)",
    [`zoe.quist@${tenant}.example`, { tenants: { [tenant]: ["tenant_lead"] } }],
  );
  await rowOf(page, "Payout 4711").getByRole("link").click();
  const assignee = panel(page).getByRole("button", { name: /^Assignee/ });
  const options = page.getByRole("option");
  await assignee.click();
  await expect(options).toHaveText([/ada/, "Unassigned(now)", /zoe\.quist.*Lead/]);
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.type("QUI");
  await expect(options).toHaveText([/zoe\.quist/, /Assign to “QUI”/]);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Assigned to zoe.quist")).toBeVisible();
  await expect(async () =>
    expect(await stored()).toMatchObject({ assigned_to: "user:zoe.quist" }),
  ).toPass();

  await assignee.click();
  await page.getByRole("combobox", { name: "Assignee" }).fill("from elsewhere");
  await expect(
    page.getByRole("status").filter({ hasText: "Names can't contain spaces." }),
  ).toBeVisible();
  await expect(options).toHaveCount(0);
  await page.getByRole("combobox", { name: "Assignee" }).fill("from-elsewhere");
  await options.filter({ hasText: "not a listed member" }).click();
  await expect(async () =>
    expect(await stored()).toMatchObject({ assigned_to: "user:from-elsewhere" }),
  ).toPass();

  await assignee.click();
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(options).toHaveCount(0);
  await expect(panel(page)).toBeVisible();
});

test("resolving asks for a reason, and removes the exception from the board", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await panel(page).getByRole("button", { name: "Resolve" }).click();
  await panel(page).getByLabel("Resolution").fill("Matched by hand.");
  await panel(page).getByRole("button", { name: "Resolve" }).click();
  await expect(panel(page).getByRole("button", { name: "Reopen" })).toBeVisible();
  expect(await stored()).toMatchObject({ status: "resolved", resolution: "Matched by hand." });
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "No open exceptions" })).toBeVisible();
});

test("a change that the server refuses is rolled back", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  const problem = { code: "conflict", detail: "Another decision came first.", request_id: "req_1" };
  // All other calls fail, so only the page's own state can roll the change back.
  await page.route("**/v1/**", (route) =>
    route.request().method() === "PATCH"
      ? route.fulfill({ status: 409, json: problem })
      : route.abort(),
  );
  await panel(page)
    .getByRole("button", { name: /^Assignee/ })
    .click();
  await page.getByRole("option", { name: "ada you" }).click();
  await expect(page.getByText("Another decision came first.")).toBeVisible();
  await expect(panel(page).getByRole("button", { name: "Assignee: Unassigned" })).toBeVisible();
  await expect(rowOf(page, "Payout 4711")).toContainText("Unassigned");
  expect(await stored()).toMatchObject({ assigned_to: null });
});

test("the SLA timeline loads when it is opened, and updates after a change", async ({ page }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await expect(panel(page).getByRole("list", { name: "Activity" })).toContainText(
    "robot created this exception",
  );
  expect(requests.filter((path) => path.endsWith("/ledger"))).toEqual([]);
  await panel(page).getByText("SLA timeline").click();
  const clock = panel(page).getByRole("table");
  await expect(clock.getByRole("rowgroup").nth(1)).toHaveText(/Deadline set.*0:(30:00|29:\d\d)/);
  await expect(clock.getByRole("rowgroup").nth(2)).toContainText("60 min or less left");

  await page.keyboard.press("r");
  await panel(page).getByLabel("Resolution").fill("Matched by hand.");
  await page.keyboard.press("Enter");
  const latest = panel(page).getByRole("list", { name: "Activity" }).getByRole("listitem").first();
  await expect(latest).toContainText("ada changed");
  await expect(latest).toContainText("Status: from Open → to Resolved");
  await expect(clock.getByRole("rowgroup").last()).toContainText("Resolved");
  await expect(panel(page).getByText(/Resolved .* before its deadline/)).toBeVisible();
});

test("comments and changes form one stream; comments are text with mentions", async ({ page }) => {
  await sql(
    `insert into public.exception_history (tenant_id, exception_id, actor, kind, changes, at)
     select $1, $2, 'user:leo', 'updated',
       jsonb_build_object('reason_code', jsonb_build_object('from', i - 1, 'to', i)),
       now() + (i - 71) * interval '1 millisecond' from generate_series(1, 70) i`,
    [tenant, id],
  );
  await rowOf(page, "Payout 4711").getByRole("link").click();
  // An assignee of any exception can be mentioned.
  await report(tenant, { title: "Another", due_in_minutes: 900, assigned_to: "user:zoe" });
  const activity = panel(page).getByRole("list", { name: "Activity" }).getByRole("listitem");
  await expect(activity).toHaveCount(50);
  await page.keyboard.press("c");
  await page.keyboard.type("<b>Ask</b> @zo");
  await expect(page.getByRole("option", { name: "zoe" })).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.type("please");
  await page.keyboard.press("Control+Enter");
  await expect(activity.first()).toContainText("<b>Ask</b> @zoe please");
  const [comment] = await sql(
    "select body, mentions from public.exception_comments where exception_id = $1",
    [id],
  );
  expect(comment).toEqual({ body: "<b>Ask</b> <@user:zoe> please", mentions: ["user:zoe"] });
  await panel(page).getByRole("button", { name: "Show older activity" }).click();
  await expect(activity).toHaveCount(72);
  await expect(activity.last()).toContainText("robot created this exception");
  await expect(panel(page).getByRole("button", { name: "Show older activity" })).toBeHidden();
});

test("the title, severity and deadline are edited in place", async ({ page }) => {
  await rowOf(page, "Payout 4711").getByRole("link").click();
  await panel(page)
    .getByRole("button", { name: /edit the title/ })
    .click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Payout 4711 arrived late");
  await page.keyboard.press("Enter");
  const renamed = page.getByRole("dialog", { name: "Payout 4711 arrived late" });
  await renamed.getByRole("button", { name: /^Severity/ }).click();
  await page.getByRole("menuitemradio", { name: "Low" }).click();
  await renamed.getByRole("button", { name: /edit the deadline/ }).click();
  await renamed.getByLabel("Deadline").fill("2030-01-02T10:00");
  await page.keyboard.press("Enter");
  await expect(
    renamed.getByRole("button", { name: /^2 Jan, 10:00.*edit the deadline/ }),
  ).toBeVisible();
  // The field is in UTC, as the page shows times, although the browser is in Berlin.
  const due_at = "2030-01-02T10:00:00.000Z";
  await expect(async () =>
    expect(await stored()).toMatchObject({
      title: "Payout 4711 arrived late",
      severity: "low",
      due_at,
    }),
  ).toPass();
  await renamed.getByRole("button", { name: /edit the title/ }).click();
  await page.keyboard.type("Never mind");
  await page.keyboard.press("Escape");
  await expect(renamed).toBeVisible();
});

test("a missing exception shows “not found”", async ({ page }) => {
  await page.goto(`/${tenant}/exceptions?exception=exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b`);
  await expect(page.getByRole("dialog").getByText("There is no such exception.")).toBeVisible();
});
