import { expect } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn, report, rowOf, setVisibility } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
});

test.describe("while it is open, the SLA board", () => {
  test("counts down and changes color by itself, without responses from the server", async ({
    page,
  }) => {
    await report(tenant, { title: "Crossing", due_in_minutes: 60.9 });
    await page.clock.install();
    await page.goto(`/${tenant}/exceptions`);
    const row = rowOf(page, "Crossing");
    await expect(row).toContainText("in 1 h 1 min");
    await expect(row).toHaveAttribute("data-risk", "medium");
    await expect(page.getByText(/Updated [1-9] s ago/)).toBeVisible();
    // Once a request is aborted, all earlier ones have been answered.
    const cut = page.waitForEvent("requestfailed", (request) =>
      request.url().includes("/v1/exceptions/sla"),
    );
    await page.route("**/v1/**", (route) => route.abort());
    await cut;
    await page.clock.runFor("02:00");
    await expect(row).toContainText("in 59 min");
    await expect(row).toHaveAttribute("data-risk", "high");
    await expect(page.getByText(/Updated 2 min ago/)).toBeVisible();
    await page.clock.runFor("01:02:00");
    await expect(row).toContainText("3 min late");
    await expect(row.getByText("Breached")).toBeVisible();
  });

  test("counts time by the server's clock, even if the browser's is wrong", async ({ page }) => {
    await report(tenant, { title: "Half an hour", due_in_minutes: 30 });
    await page.clock.install({ time: Date.now() + 7 * 60 * 60 * 1000 });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Half an hour")).toContainText(/in (30|29) min/);
    await expect(page.getByText(/Updated (just now|\d s ago)/)).toBeVisible();
  });

  test("pauses while its tab is hidden, and catches up when it is shown", async ({ page }) => {
    await page.goto(`/${tenant}/exceptions`);
    await expect(page.getByText("No open exceptions")).toBeVisible();
    // The board counts seconds once its first request has been answered.
    await expect(page.getByText(/Updated [12] s ago/)).toBeVisible();
    await setVisibility(page, "hidden");
    let requests = 0;
    page.on("request", (request) => {
      if (request.url().includes("/v1/exceptions/sla")) requests += 1;
    });
    await report(tenant, { title: "Reported later", due_in_minutes: 30 });
    await expect(page.getByText(/Updated ([7-9]|\d\d) s ago|Updated \d+ min ago/)).toBeVisible();
    expect(requests).toBe(0);
    await setVisibility(page, "visible");
    await expect(rowOf(page, "Reported later")).toBeVisible();
  });

  test("holds back new rows while the pointer is over the list, and counts them", async ({
    page,
  }) => {
    await report(tenant, { title: "Second", due_in_minutes: 40 });
    const leaving = await report(tenant, { title: "Third", due_in_minutes: 50 });
    await page.goto(`/${tenant}/exceptions`);
    await rowOf(page, "Second").hover();
    await expect(page.getByText(/Updated [12] s ago/)).toBeVisible();
    await page.evaluate(() =>
      Object.defineProperty(document, "hasFocus", { configurable: true, value: () => false }),
    );
    await report(tenant, { title: "First", due_in_minutes: 30 });
    const bearer = await userToken(tenant, ["tenant_lead"], "leo");
    const change = (id: string, body: object) =>
      api("PATCH", `/v1/exceptions/${id}`, { bearer, tenant, body });
    await change(leaving.id, { status: "resolved", resolution: "By leo." });
    const pill = page.getByRole("button", { name: "1 new" });
    await expect(pill).toBeVisible();
    await expect(page).toHaveTitle(/^\(1\) Exceptions/);
    await expect(rowOf(page, "Third")).toHaveAttribute("data-news", "left");
    await expect(rowOf(page, "First")).toBeHidden();
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await expect(page).toHaveTitle(/^Exceptions/);
    // By keyboard, because the pointer must stay over the list. The mark disappears by itself, so
    // the test waits for it from before.
    const marked = page.waitForFunction(() =>
      document.querySelector("tr[data-news=arrived]")?.textContent?.includes("First"),
    );
    await pill.press("Enter");
    await marked;
    await expect(rowOf(page, "Third")).toBeHidden();
    await expect(pill).toBeHidden();
  });

  test("keeps showing the last board while offline, and says that it is offline", async ({
    page,
    context,
  }) => {
    await report(tenant, { title: "Seen before", due_in_minutes: 30 });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Seen before")).toBeVisible();
    await context.setOffline(true);
    const notice = page.getByRole("status").getByText("You're offline.");
    await expect(notice).toBeVisible();
    await expect(rowOf(page, "Seen before")).toBeVisible();
    await context.setOffline(false);
    await expect(notice).toBeHidden();
  });

  test("a session that ends while the board is open asks to sign in on the same page", async ({
    page,
    context,
  }) => {
    await report(tenant, { title: "Left open", due_in_minutes: 30 });
    await page.goto(`/${tenant}/exceptions?severity=high`);
    await expect(rowOf(page, "Left open")).toBeVisible();
    await context.clearCookies();
    await expect(page.getByRole("dialog", { name: "Your session has ended" })).toBeVisible();
    await expect(page).toHaveURL(`/${tenant}/exceptions?severity=high`);
    await expect(page.getByText("Left open")).toBeVisible();
  });
});
