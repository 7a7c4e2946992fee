import { expect } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

type Calendar = {
  id: string;
  weekly: object[];
  special_days: { date: string; name: string | null; intervals: object[] }[];
  calendar_version: number;
};

let tenant: string;
let call: (method: string, path: string, body?: object) => Promise<{ json: unknown }>;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  const bearer = await userToken(tenant, ["tenant_admin"]);
  call = (method, path, body) => api(method, path, { bearer, tenant, body });
});

const onlyCalendar = async () =>
  ((await call("GET", "/v1/calendars")).json as { items: Calendar[] }).items[0] as Calendar;

test("an admin creates a calendar with hours past midnight and holidays from a file", async ({
  page,
}) => {
  await page.goto(`/${tenant}/calendars`);
  await page.getByRole("link", { name: "New calendar" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Frankfurt office");
  await page.getByRole("button", { name: /^Time zone/ }).click();
  await page.getByRole("combobox", { name: "Time zone" }).fill("berlin");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Time zone: Europe / Berlin" })).toBeVisible();

  const saturday = page.getByRole("group", { name: "Saturday" });
  await saturday.getByRole("button", { name: "Add hours" }).press("Enter");
  await saturday.getByLabel("Saturday, hours 1, from").fill("22");
  await page.keyboard.press("Tab");
  await page.keyboard.type("6");
  await page.keyboard.press("Tab");
  await expect(saturday.getByLabel("Saturday, hours 1, from")).toHaveValue("22:00");
  await expect(saturday).toContainText("until Sunday");
  await expect(page.getByText("48 hours a week")).toBeVisible();

  await page.getByRole("button", { name: "Add holidays" }).click();
  const year = String(new Date().getUTCFullYear() + 1);
  const holidays = page.getByRole("dialog", { name: "Add holidays" });
  await holidays.getByLabel("Country").selectOption("DE");
  await holidays.getByLabel("Region").selectOption({ label: "Hessen" });
  await holidays.getByLabel("Year", { exact: true }).selectOption(year);
  await holidays.getByRole("checkbox", { name: `${year} New Year's Day` }).uncheck();
  await holidays.getByRole("button", { name: /^Add \d+ days$/ }).click();

  await page.getByRole("button", { name: "Import ICS" }).click();
  const ics = page.getByRole("dialog", { name: "Import an ICS file" });
  const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
  const lines = [
    "BEGIN:VCALENDAR",
    ...event(`DTSTART;VALUE=DATE:${year}1224`, "SUMMARY:Christmas Eve"),
    ...event(`DTSTART:${year}1220T090000Z`, "SUMMARY:Standup"),
    "END:VCALENDAR",
    "",
  ];
  await ics.getByLabel("Choose a file").setInputFiles({
    name: "own.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from(lines.join("\r\n")),
  });
  await expect(ics).toContainText("own.ics: 1 day read, 1 event skipped");
  await ics.getByRole("button", { name: "Add 1 day" }).click();

  await page.getByRole("button", { name: "Add a day" }).click();
  const day = page.getByRole("dialog", { name: "Add special day" });
  await day.getByLabel("Date").fill(`${year}-12-31`);
  await day.getByText("Other hours").click();
  await day.getByLabel("Hours 1, to").fill("12");
  await day.getByRole("button", { name: "Add day" }).click();
  await expect(day).toBeHidden();

  await page.getByRole("button", { name: "Create calendar" }).click();
  await expect(page.getByText("Version 1")).toBeVisible();
  const { weekly, special_days } = await onlyCalendar();
  expect(weekly).toContainEqual({ day: "saturday", from: "22:00", to: "06:00" });
  expect(special_days).toContainEqual({
    date: `${year}-12-31`,
    name: null,
    intervals: [{ from: "09:00", to: "12:00" }],
  });
  const dates = special_days.map(({ date }) => date);
  expect(dates).toContain(`${year}-12-24`);
  expect(dates).toContain(`${year}-12-25`);
  expect(dates).not.toContain(`${year}-01-01`);
});

test("a change shows which open deadlines it moves, and moves them only on request", async ({
  page,
}) => {
  const always = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map(
    (day) => ({
      day,
      from: "00:00",
      to: "24:00",
    }),
  );
  const { id } = (
    await call("POST", "/v1/calendars", {
      name: "Round the clock",
      time_zone: "UTC",
      weekly: always,
    })
  ).json as Calendar;
  const minutes_to_resolve = { critical: 20_160, high: 20_160, medium: 20_160, low: 20_160 };
  await call("PUT", "/v1/sla-policy", {
    minutes_to_resolve,
    at_risk_thresholds: [60],
    calendar_id: id,
  });
  const created = (await call("POST", "/v1/exceptions", { title: "Payout", severity: "high" }))
    .json as { id: string; due_at: string };
  const dueAt = async () =>
    ((await call("GET", `/v1/exceptions/${created.id}`)).json as { due_at: string }).due_at;

  await page.goto(`/${tenant}/calendars/${id}`);
  await expect(page.getByText("Exceptions of every severity.")).toBeVisible();
  await page.getByRole("button", { name: "Remove Sunday, hours 1" }).click();
  await page.getByRole("button", { name: "Review changes" }).click();
  const review = page.getByRole("dialog", { name: "Change Round the clock" });
  await expect(review).toContainText("1 open exception would get a new deadline");
  await review.getByText("Open ones, too").click();
  await expect(review.getByText("Later")).toBeVisible();
  expect(await dueAt()).toBe(created.due_at);
  await review.getByRole("button", { name: "Save calendar" }).click();
  await expect(page.getByText("Version 2")).toBeVisible();
  expect(Date.parse(await dueAt())).toBeGreaterThan(Date.parse(created.due_at));
});
