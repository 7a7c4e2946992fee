import { expect, type Page } from "@playwright/test";
import { api, createTenant, userToken, writtenByHand } from "../fixtures.ts";
import { beSignedIn, report } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_lead"] });
});

const review = (page: Page) => page.getByRole("dialog", { name: "Change the SLA policy" });

async function call(method: string, path: string, body?: object, name = "leo") {
  return api(method, path, {
    bearer: await userToken(tenant, ["tenant_lead"], name),
    tenant,
    body,
  });
}

/** The field of a severity, and its unit. */
function fields(page: Page, severity: string) {
  const field = page.getByRole("textbox", { name: severity });
  return { field, unit: field.locator("xpath=..").getByRole("combobox", { name: "Unit" }) };
}

test("the review before saving shows how many deadlines move earlier or later", async ({
  page,
}) => {
  await call("POST", "/v1/exceptions", { title: "From the policy", severity: "high" });
  await call("POST", "/v1/exceptions", { title: "From the policy too", severity: "high" });
  await report(tenant, { title: "Set by hand", due_in_minutes: 600, severity: "high" });
  await writtenByHand(
    "update public.exceptions set created_at = now() - interval '3 hours' where tenant_id = $1",
    [tenant],
  );
  await page.goto(`/${tenant}/sla-policy`);
  const { field, unit } = fields(page, "High");
  await expect(field).toHaveValue("8");
  await expect(unit).toHaveValue("hours");
  await expect(page.getByRole("button", { name: "Review changes" })).toBeDisabled();

  await field.fill("90");
  await unit.selectOption("minutes");
  await page.getByRole("button", { name: "Add a warning" }).click();
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(review(page).getByRole("row", { name: "High 8 hours 90 minutes" })).toBeVisible();
  await expect(
    review(page).getByRole("row", { name: "Warnings 4 hours, 1 hour 4 hours, 1 hour, 30 minutes" }),
  ).toBeVisible();
  await expect(review(page)).toContainText("2 open exceptions get a new deadline");
  const figure = (name: string) =>
    review(page)
      .locator("div", { has: page.getByText(name, { exact: true }) })
      .last();
  await expect(figure("Earlier")).toContainText("2");
  await expect(figure("Newly breached")).toContainText("2");
  await expect(figure("Later")).toContainText("0");
  expect((await call("GET", "/v1/sla-policy")).json).toMatchObject({
    minutes_to_resolve: { high: 480 },
  });

  await review(page).getByRole("button", { name: "Save policy" }).click();
  await expect(page.getByRole("status").getByText("SLA policy saved")).toBeVisible();
  await expect(page.getByText(/^Last changed .* by ada$/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Review changes" })).toBeDisabled();
  expect((await call("GET", "/v1/sla-policy")).json).toMatchObject({
    minutes_to_resolve: { high: 90 },
    at_risk_thresholds: [240, 60, 30],
  });
});

test("the form is locked while its impact is computed", async ({ page }) => {
  await page.goto(`/${tenant}/sla-policy`);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/v1/sla-policy", (route) =>
    route.request().method() === "PUT" ? released.then(() => route.continue()) : route.continue(),
  );
  const { field } = fields(page, "High");
  await field.fill("9");
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(page.getByRole("button", { name: "Calculating…" })).toBeVisible();
  await expect(field).toBeDisabled();
  await expect(page.getByRole("button", { name: "Discard" })).toBeDisabled();
  release();
  await expect(review(page).getByRole("row", { name: "High 8 hours 9 hours" })).toBeVisible();
});

test("invalid values are marked at their fields, and the first one has the focus", async ({
  page,
}) => {
  await page.goto(`/${tenant}/sla-policy`);
  const { field } = fields(page, "Critical");
  await field.fill("400");
  await fields(page, "Critical").unit.selectOption("days");
  await page.getByRole("textbox", { name: "Warning 2" }).fill("4");
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription("Enter a duration from 1 minute to 365 days.");
  await expect(page.getByRole("textbox", { name: "Warning 2" })).toHaveAccessibleDescription(
    "This warning is a duplicate.",
  );
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(field).toHaveValue("4");
  await expect(page.getByText("Unsaved changes")).toBeHidden();
});

test("API errors appear at their fields, whatever the order in the body", async ({ page }) => {
  await page.goto(`/${tenant}/sla-policy`);
  await page.getByRole("button", { name: "Add a warning" }).click();
  await page.getByRole("button", { name: "Add a warning" }).click();
  await page.getByRole("textbox", { name: "Warning 3" }).fill("500");
  await page.getByRole("combobox", { name: "How warning 4 counts" }).selectOption("business");
  const paths = [
    "at_risk_thresholds.0",
    "at_risk_business_thresholds.0",
    "calendar_id",
    "pause.rules.0.reason_code",
    "minutes_to_resolve.low",
  ];
  const errors = paths.map((path) => ({ path, message: `Refused: ${path}.` }));
  const problem = {
    code: "invalid_request",
    detail: "The request is invalid. See errors.",
    request_id: "req_0123456789abcdef",
    errors,
  };
  await page.route("**/v1/sla-policy", (route) => route.fulfill({ status: 400, json: problem }));
  await page.getByRole("button", { name: "Review changes" }).click();
  // 500 is the highest threshold, so it is first in the body.
  for (const [field, path] of [
    [page.getByRole("textbox", { name: "Warning 3" }), "at_risk_thresholds.0"],
    [page.getByRole("textbox", { name: "Warning 4" }), "at_risk_business_thresholds.0"],
    [page.getByRole("combobox", { name: "Calendar" }), "calendar_id"],
    [
      page.getByRole("textbox", { name: "Pause while the reason code is" }),
      "pause.rules.0.reason_code",
    ],
    [fields(page, "Low").field, "minutes_to_resolve.low"],
  ] as const)
    await expect(field).toHaveAccessibleDescription(new RegExp(`Refused: ${path}\\.`));
  await expect(fields(page, "Low").field).toBeFocused();
  await page.getByRole("textbox", { name: "Warning 3" }).fill("300");
  await expect(page.getByText("Refused: at_risk_thresholds.0.")).toBeHidden();
});

test("the form never overwrites another person's change unseen", async ({ page }) => {
  const policy = (await call("GET", "/v1/sla-policy")).json as {
    minutes_to_resolve: Record<string, number>;
  };
  const theirs = (low: number) =>
    call(
      "PUT",
      "/v1/sla-policy",
      { minutes_to_resolve: { ...policy.minutes_to_resolve, low }, at_risk_thresholds: [240, 60] },
      "zoe",
    );
  // The page must have read the policy before it is changed.
  const read = page.waitForResponse(/\/v1\/sla-policy$/);
  await page.goto(`/${tenant}/sla-policy`);
  await read;
  await fields(page, "High").field.fill("6");
  await theirs(2880);
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(page.getByText(/changed while you were editing, last by zoe/)).toBeVisible();
  await expect(fields(page, "High").field).toHaveValue("6");
  await page.getByRole("button", { name: "Discard my changes" }).click();
  await expect(fields(page, "Low").field).toHaveValue("2");
  await expect(fields(page, "High").field).toHaveValue("8");

  await fields(page, "High").field.fill("7");
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(review(page)).toBeVisible();
  await theirs(1440);
  await review(page).getByRole("button", { name: "Save policy" }).click();
  await expect(page.getByText(/changed while you were editing, last by zoe/)).toBeVisible();
  expect((await call("GET", "/v1/sla-policy")).json).toMatchObject({
    minutes_to_resolve: { high: 480, low: 1440 },
  });
  await page.getByRole("button", { name: "Overwrite with my changes" }).click();
  await expect(fields(page, "High").field).toHaveValue("7");
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(review(page).getByRole("row", { name: "High 8 hours 7 hours" })).toBeVisible();
});

test("the page asks before it is left with unsaved changes", async ({ page }) => {
  await page.goto(`/${tenant}/sla-policy`);
  await fields(page, "High").field.fill("6");
  const requests: string[] = [];
  let answer = false;
  page.on("dialog", (dialog) => {
    requests.push(dialog.message());
    return answer ? dialog.accept() : dialog.dismiss();
  });
  const link = page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Exceptions" });
  await link.click();
  await expect(fields(page, "High").field).toHaveValue("6");
  expect(requests).toEqual([expect.stringContaining("Leave without saving?")]);
  answer = true;
  await link.click();
  await expect(page).toHaveURL(`/${tenant}/exceptions`);
});

test("members who may not change the policy can read it, and see which roles may", async ({
  page,
  context,
}) => {
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/exceptions`);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "SLA policy" }).click();
  await expect(
    page.getByText("Only admins and leads can change this policy. You are signed in as Analyst"),
  ).toBeVisible();
  await expect(page.getByRole("region", { name: "Time to resolve" })).toContainText(
    "Critical4 hours",
  );
  await expect(page.getByRole("textbox")).toHaveCount(0);
});

test("an error shows its request id, and trying again works", async ({ page }) => {
  await page.goto(`/${tenant}/sla-policy`);
  await fields(page, "High").field.fill("6");
  const problem = {
    code: "internal",
    detail: "Something went wrong on our side.",
    request_id: "req_0123456789abcdef",
  };
  await page.route("**/v1/sla-policy", (route) => route.fulfill({ status: 500, json: problem }));
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/sla-policy");
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(review(page)).toContainText("No open exception's deadline changes.");
});
