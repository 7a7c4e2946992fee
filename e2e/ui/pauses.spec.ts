import { expect, type Page } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn, report, rowOf } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_lead"] });
});

const pauseDialog = (page: Page) => page.getByRole("dialog", { name: /^Pause / });

async function pauseReasons(): Promise<Record<string, string | null>> {
  const answer = await api("GET", "/v1/exceptions", {
    bearer: await userToken(tenant, ["tenant_lead"]),
    tenant,
  });
  const { items } = answer.json as { items: { title: string; pause_reason: string | null }[] };
  return Object.fromEntries(items.map(({ title, pause_reason }) => [title, pause_reason]));
}

test("P on a row asks why, pauses and moves it last; P again resumes it", async ({ page }) => {
  await report(tenant, { title: "Payout 1", due_in_minutes: 30 });
  await report(tenant, { title: "Payout 2", due_in_minutes: 90 });
  await page.goto(`/${tenant}/exceptions`);
  await rowOf(page, "Payout 1").getByRole("link").focus();
  await page.keyboard.press("p");
  await pauseDialog(page).getByRole("button", { name: "Pause exception" }).click();
  await expect(pauseDialog(page)).toContainText("Enter a reason.");
  await pauseDialog(page).getByLabel("Reason").fill("Waiting for the bank");
  await pauseDialog(page).getByRole("button", { name: "Pause exception" }).click();
  await expect(rowOf(page, "Payout 1")).toContainText("Paused");
  await expect(rowOf(page, "Payout 1")).toContainText("30 min left");
  await expect(page.locator("tr[data-id]").nth(1)).toContainText("Payout 1");
  expect(await pauseReasons()).toEqual({ "Payout 1": "Waiting for the bank", "Payout 2": null });

  await rowOf(page, "Payout 1").getByRole("link").focus();
  await page.keyboard.press("p");
  await expect(rowOf(page, "Payout 1")).not.toContainText("Paused");
  expect(await pauseReasons()).toEqual({ "Payout 1": null, "Payout 2": null });
});

test("the panel pauses and resumes, and its timeline shows both", async ({ page }) => {
  const { id } = await report(tenant, { title: "Payout 1", due_in_minutes: 300 });
  await page.goto(`/${tenant}/exceptions?exception=${id}`);
  const panel = page.getByRole("dialog", { name: "Payout 1" });
  await panel.getByRole("button", { name: "Pause" }).click();
  await pauseDialog(page).getByLabel("Reason").fill("Waiting for the bank");
  await pauseDialog(page).getByRole("button", { name: "Pause exception" }).click();
  await expect(panel).toContainText("Waiting for the bank");
  await expect(panel).toContainText("Due if resumed now");
  await panel.getByRole("button", { name: "Resume" }).click();
  await expect(panel.getByRole("button", { name: "Pause" })).toBeVisible();
  await panel.getByText("SLA timeline", { exact: true }).click();
  await expect(panel.getByRole("table")).toContainText(/Paused[\s\S]*Resumed/);
});

test("a breached exception can't be paused, and the page says why", async ({ page }) => {
  const { id } = await report(tenant, { title: "Late", due_in_minutes: -5 });
  await page.goto(`/${tenant}/exceptions?exception=${id}`);
  const panel = page.getByRole("dialog", { name: "Late" });
  const pause = panel.getByRole("button", { name: "Pause" });
  await expect(pause).toBeDisabled();
  await expect(pause).toHaveAccessibleDescription(
    "Can't pause. Its deadline has passed. Move the deadline to pause it.",
  );
  await expect(async () => {
    await page.keyboard.press("p");
    await expect(page.getByText("Can't pause", { exact: true }).first()).toBeVisible({
      timeout: 1000,
    });
  }).toPass();
  await expect(pauseDialog(page)).toBeHidden();
  await panel.getByRole("button", { name: /edit the deadline/ }).click();
  await panel.getByLabel("Deadline").fill("2030-01-02T10:00");
  await page.keyboard.press("Enter");
  await expect(pause).toBeEnabled();
});

test("a selection is paused with one reason, and exceptions that can't be paused are named", async ({
  page,
}) => {
  for (const [title, due_in_minutes] of [
    ["Late", -5],
    ["Payout 1", 30],
    ["Payout 2", 90],
  ] as const)
    await report(tenant, { title, due_in_minutes });
  await page.goto(`/${tenant}/exceptions?breached=true`);
  await expect(() =>
    page.getByRole("checkbox", { name: "Select all loaded exceptions" }).check({ timeout: 1000 }),
  ).toPass();
  const bar = page.getByRole("region", { name: "Selected exceptions" });
  await bar.getByRole("button", { name: "Clock" }).click();
  await page.getByRole("menuitem", { name: /Pause/ }).click();
  await pauseDialog(page).getByLabel("Reason").fill("Bank holiday");
  await pauseDialog(page).getByRole("button", { name: "Pause 3 exceptions" }).click();
  await expect(page.getByText("2 exceptions paused").first()).toBeVisible();
  await expect(page.getByText(/Its deadline has passed/)).toBeVisible();
  expect(await pauseReasons()).toEqual({
    Late: null,
    "Payout 1": "Bank holiday",
    "Payout 2": "Bank holiday",
  });
});

test("the policy names a calendar and limits pauses, reviewed before they are saved", async ({
  page,
}) => {
  const admin = await userToken(tenant, ["tenant_admin"]);
  await api("POST", "/v1/calendars", {
    bearer: admin,
    tenant,
    body: {
      name: "Frankfurt office",
      time_zone: "Europe/Berlin",
      weekly: [{ day: "monday", from: "09:00", to: "17:00" }],
    },
  });
  await page.goto(`/${tenant}/sla-policy`);
  await expect(async () => {
    await page
      .getByRole("combobox", { name: "Calendar" })
      .selectOption({ label: "Frankfurt office (Europe/Berlin)" });
    await expect(page.getByRole("button", { name: "Review changes" })).toBeEnabled({
      timeout: 1000,
    });
  }).toPass();
  await page.getByLabel("Pauses per exception").fill("3");
  await page
    .getByLabel("Pause while the reason code is")
    .fill("waiting_for_bank, waiting_for_customer");
  await page.getByRole("button", { name: "Review changes" }).click();
  const review = page.getByRole("dialog", { name: "Change the SLA policy" });
  await expect(
    review.getByRole("row", { name: "Calendar Round the clock Frankfurt office" }),
  ).toBeVisible();
  await expect(
    review.getByRole("row", {
      name: /^Pauses .*3 per exception; by waiting_for_bank, waiting_for_customer/,
    }),
  ).toBeVisible();
  await review.getByRole("button", { name: "Keep editing" }).click();
  await page.getByRole("button", { name: "Choose per severity" }).click();
  await page.getByRole("combobox", { name: "Critical" }).selectOption({ label: "Round the clock" });
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(
    review.getByRole("row", { name: "Calendar, high Round the clock Frankfurt office" }),
  ).toBeVisible();
  await expect(review).not.toContainText("Calendar, critical");
  await review.getByRole("button", { name: "Save policy" }).click();
  await expect(page.getByText("SLA policy saved")).toBeVisible();
  const stored = (await api("GET", "/v1/sla-policy", { bearer: admin, tenant })).json;
  expect(stored).toMatchObject({
    calendar_by_severity: { critical: null },
    pause: {
      max_count: 3,
      rules: [{ reason_code: "waiting_for_bank" }, { reason_code: "waiting_for_customer" }],
    },
  });
});
