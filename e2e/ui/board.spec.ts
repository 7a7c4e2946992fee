import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { editing } from "#e2e/exception-statements.ts";
import type { SlaList } from "#lib/exceptions/contract.ts";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, report, reportMany, rowOf, scrollToEnd, tokenColor } from "./person.ts";
import { test } from "./test.ts";

const rows = (page: Page) => page.locator("tr[data-id]");

test.describe("the SLA board", () => {
  let tenant: string;

  test.beforeEach(async ({ context }) => {
    tenant = await createTenant();
    await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  });

  test("shows an exception that a system reports, in red-orange and without a reload", async ({
    page,
  }) => {
    await report(tenant, { title: "Old payout", due_in_minutes: 900 });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Old payout")).toBeVisible();
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));

    await report(tenant, {
      title: "Payout 4711",
      due_in_minutes: 30,
      amount_minor: 125_000,
      currency: "EUR",
      assigned_to: "user:leo",
    });
    const row = rowOf(page, "Payout 4711");
    await expect(row).toBeVisible();
    await expect(row.getByText("< 1 h", { exact: true }).first()).toBeVisible();
    await expect(row).toContainText(/in (30|29) min/);
    await expect(row).toContainText("€1,250.00");
    await expect(row).toContainText("leo");
    const rail = await row.evaluate((one) => getComputedStyle(one, "::before").backgroundColor);
    expect(rail).toBe(await tokenColor(page, { "data-risk": "high" }, "--risk-rail"));
    await expect(page.getByRole("button", { name: /^At risk/ })).toContainText("1");
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  });

  test("at every risk threshold the board agrees with list, counts and events", async ({
    page,
  }) => {
    test.slow();
    const bearer = await userToken(tenant, ["tenant_lead"]);
    const edges = [0, 59, 60, 240, 241].flatMap((minutes) => [minutes - 0.5, minutes + 0.5]);
    await Promise.all(
      edges.map((due_in_minutes) =>
        report(tenant, { title: `Due in ${due_in_minutes}`, due_in_minutes }),
      ),
    );
    // Tall enough to show every row.
    await page.setViewportSize({ width: 1280, height: 1600 });
    await page.goto(`/${tenant}/exceptions?charts=true&breached=true`);
    const open = page.getByRole("table", { name: "Open exceptions by time to breach" });
    await expect(
      page.getByRole("application", { name: /^Open exceptions by time to breach: 10 in total/ }),
    ).toBeVisible();
    await page.getByText("Show as table").first().click();
    await expect(open).toBeVisible();

    // All of these change with time, so they are compared until they agree at one moment.
    await expect(async () => {
      const { items, summary } = (await api("GET", "/v1/exceptions/sla", { bearer, tenant }))
        .json as SlaList;
      const listed = items.map(({ title, breach_risk }) => [title, breach_risk]);
      const rows = page
        .getByRole("table", { name: "Open exceptions", exact: true })
        .locator("tr[data-id]");
      const shown = await rows.evaluateAll((all) =>
        all.map((row) => [row.querySelector("a")?.textContent, row.getAttribute("data-risk")]),
      );
      expect(shown).toEqual(listed);
      const tile = async (name: RegExp) =>
        Number(await page.getByRole("button", { name }).locator(".tabular-nums").textContent());
      expect([
        await tile(/^Breached .*past/),
        await tile(/^At risk/),
        await tile(/^On track/),
      ]).toEqual([summary.breached_count, summary.at_risk_count, summary.on_track_count]);
      const counts = await open.locator("td").allTextContents();
      const [, late, high, medium, low] = counts.map(Number);
      expect([late, (high ?? 0) + (medium ?? 0), low]).toEqual([
        summary.breached_count,
        summary.at_risk_count,
        summary.on_track_count,
      ]);
      const events = await sql<{ title: string; type: string }>(
        `select distinct on (1) data -> 'exception' ->> 'title' as title, type from public.events
         where tenant_id = $1 and type like 'exception.sla.%' order by 1, id desc`,
        [tenant],
      );
      const kinds = Object.fromEntries(events.map(({ title, type }) => [title, type]));
      const expected = {
        breached: "exception.sla.breached",
        high: "exception.sla.at_risk",
        medium: "exception.sla.at_risk",
        low: undefined,
      };
      expect(items.map(({ title }) => kinds[title])).toEqual(
        items.map(({ breach_risk }) => expected[breach_risk]),
      );
    }).toPass();
  });

  test("searches exceptions by text, keeps the search in the URL, and exports the results", async ({
    page,
  }) => {
    await report(tenant, { title: "Payout 4711 has no bank line", due_in_minutes: 30 });
    await report(tenant, { title: "Fee is unknown", due_in_minutes: 40 });
    await page.goto(`/${tenant}/exceptions`);
    await page.getByRole("searchbox", { name: "Search exceptions" }).fill("bank payout");
    await expect(rowOf(page, "Fee is unknown")).toBeHidden();
    await expect(rowOf(page, "Payout 4711 has no bank line")).toBeVisible();
    await page.reload();
    await expect(page.getByRole("searchbox", { name: "Search exceptions" })).toHaveValue(
      "bank payout",
    );
    await expect(rowOf(page, "Fee is unknown")).toBeHidden();
    await page.getByRole("button", { name: "More", exact: true }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: /^Export this view/ }).click();
    const csv = await readFile(await (await downloading).path(), "utf8");
    expect(csv).toContain("Payout 4711 has no bank line");
    expect(csv).not.toContain("Fee is unknown");
  });

  test("keeps its filters in the URL across a reload", async ({ page }) => {
    await report(tenant, { title: "Late one", due_in_minutes: -30, severity: "critical" });
    await report(tenant, { title: "Soon due", due_in_minutes: 45, severity: "low" });
    await report(tenant, { title: "Due today", due_in_minutes: 200, severity: "critical" });
    await report(tenant, { title: "Far away", due_in_minutes: 900, severity: "critical" });
    await page.goto(`/${tenant}/exceptions`);

    await page.getByRole("button", { name: /^At risk/ }).click();
    await expect(page).toHaveURL(/breach_risk=at_risk/);
    await expect(rowOf(page, "Far away")).toBeHidden();
    await expect(rowOf(page, "Late one")).toBeHidden();
    await expect(rowOf(page, "Soon due")).toBeVisible();

    await page.getByRole("button", { name: "Filter by severity" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Critical 1" }).click();
    await expect(page).toHaveURL(/severity=critical/);
    // A filter's own choice doesn't change the counts of its other values.
    await expect(page.getByRole("menuitemcheckbox", { name: "Low 1" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(rowOf(page, "Soon due")).toBeHidden();
    await expect(rowOf(page, "Due today")).toBeVisible();

    await page.reload();
    await expect(rowOf(page, "Due today")).toBeVisible();
    await expect(rows(page)).toHaveCount(1);
    await expect(page.getByRole("button", { name: /^At risk/ })).toHaveAttribute(
      "aria-pressed",
      "true",
    );

    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect(page).not.toHaveURL(/severity|breach_risk/);
    await expect(rows(page)).toHaveCount(3);

    await page.goto(`/${tenant}/exceptions?severity=critical,low&assigned_to=none&breached=true`);
    await expect(rows(page)).toHaveCount(4);
    await expect(
      page.getByRole("button", { name: "Filter by severity: Critical +1" }),
    ).toBeVisible();
  });

  test("opens on exceptions that aren't breached, in groups, and unfolds breached ones on request", async ({
    page,
  }) => {
    await report(tenant, { title: "Late one", due_in_minutes: -30 });
    await report(tenant, { title: "Soon due", due_in_minutes: 45 });
    await report(tenant, { title: "Far away", due_in_minutes: 900 });
    await page.goto(`/${tenant}/exceptions`);
    const groups = page.locator("tr[data-group]");
    await expect(groups).toHaveText(["Breached1", "Under 1 hour1", "Later1"]);
    await expect(rowOf(page, "Late one")).toBeHidden();
    await page.getByRole("button", { name: "Breached 1", exact: true }).click();
    await expect(rowOf(page, "Late one")).toBeVisible();
    await expect(page).toHaveURL(/breached=true/);
    await page.goto(`/${tenant}/exceptions?breach_risk=breached`);
    await expect(rows(page)).toHaveCount(1);
  });

  test("shows breached exceptions unfolded if there are no others", async ({ page }) => {
    await report(tenant, { title: "Late one", due_in_minutes: -30 });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Late one")).toBeVisible();
  });

  test("the rows are one tab stop, and keep the focus when a focused row disappears", async ({
    page,
  }) => {
    await reportMany(tenant, 50);
    await page.goto(`/${tenant}/exceptions`);
    const link = (title: string) => page.getByRole("link", { name: title, exact: true });
    await expect(async () => {
      await link("Item 1").focus();
      await page.keyboard.press("ArrowDown");
      await expect(link("Item 2")).toBeFocused({ timeout: 500 });
    }).toPass();
    // Neither of these rows is rendered when its key is pressed.
    await page.keyboard.press("End");
    await expect(link("Item 50")).toBeFocused();
    await page.keyboard.press("Home");
    await expect(link("Item 1")).toBeFocused();
    await expect(link("Item 1")).toBeInViewport();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("tbody"))).toBeNull();
    await page.keyboard.press("Shift+Tab");
    await expect(link("Item 1")).toBeFocused();
    await sql(
      editing(
        `'status', 'resolved', 'resolution', 'By leo.'`,
        `tenant_id = $1 and title = 'Item 1'`,
      ),
      [tenant],
    );
    await expect(link("Item 2")).toBeFocused();
  });

  test("lists closed exceptions, creates one by hand, and restores the last view", async ({
    page,
  }) => {
    const done = await report(tenant, { title: "Done with", due_in_minutes: 30 });
    await report(tenant, { title: "Still open", due_in_minutes: 40 });
    const body = { status: "resolved", resolution: "By leo." };
    await api("PATCH", `/v1/exceptions/${done.id}`, {
      bearer: await userToken(tenant, ["tenant_lead"]),
      tenant,
      body,
    });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Still open")).toBeVisible();
    await page.getByText("Closed", { exact: true }).click();
    await expect(page).toHaveURL(/state=closed/);
    await expect(rowOf(page, "Done with")).toContainText("Resolved");
    await expect(rowOf(page, "Still open")).toBeHidden();
    await page.getByRole("button", { name: "More", exact: true }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: /^Export this view/ }).click();
    const csv = await readFile(await (await downloading).path(), "utf8");
    expect(csv).toContain("Done with");
    expect(csv).not.toContain("Still open");
    await page.getByText("All", { exact: true }).click();
    await expect(rows(page)).toHaveCount(2);
    await page.getByText("Open", { exact: true }).first().click();

    await page.getByRole("button", { name: "New exception" }).click();
    const dialog = page.getByRole("dialog", { name: "New exception" });
    await dialog.getByRole("button", { name: "Create exception" }).click();
    await expect(dialog.getByText("Enter a title.")).toBeVisible();
    await dialog.getByLabel("Title").fill("Fee of 12.50");
    await dialog.getByLabel("Money at risk").fill("12.50");
    await dialog.getByRole("button", { name: "Create exception" }).click();
    await expect(rowOf(page, "Fee of 12.50")).toContainText("€12.50");

    // The form shows the name of the reconciliation that the board is filtered by.
    const period = {
      name: "Payouts to bank",
      period_start: "2026-10-01",
      period_end: "2026-10-31",
      left_source: "a",
      right_source: "b",
    };
    const lead = { bearer: await userToken(tenant, ["tenant_lead"]), tenant };
    const { id } = (await api("POST", "/v1/reconciliations", { ...lead, body: period })).json as {
      id: string;
    };
    await page.goto(`/${tenant}/exceptions?reconciliation_id=${id}&new=true`);
    await expect(
      dialog.getByRole("option", { name: "Payouts to bank, 1 Oct 2026 to 31 Oct 2026" }),
    ).toBeAttached();
    await dialog.getByLabel("Title").fill("Fee of October");
    await dialog.getByRole("button", { name: "Create exception" }).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rowOf(page, "Fee of October")).toBeVisible();
    await page.goto(`/${tenant}/exceptions`);

    await page.getByRole("button", { name: "Display" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Money at risk" }).click();
    await page.getByRole("menuitemradio", { name: "Compact" }).click();
    await page.reload();
    await expect(page.getByRole("columnheader", { name: "Money at risk" })).toBeHidden();
    await expect(rowOf(page, "Fee of 12.50")).toHaveCSS("height", "32px");
  });

  test("sorts by the chosen column", async ({ page }) => {
    await report(tenant, { title: "First due", due_in_minutes: 30, severity: "low" });
    await report(tenant, { title: "Gravest", due_in_minutes: 300, severity: "critical" });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rows(page).first()).toContainText("First due");
    await page.getByRole("columnheader", { name: "Severity" }).getByRole("button").click();
    await expect(page).toHaveURL(/sortBy=severity/);
    await expect(rows(page).first()).toContainText("Gravest");
    await expect(page.getByRole("columnheader", { name: "Severity" })).toHaveAttribute(
      "aria-sort",
      "ascending",
    );
  });

  test("an empty board offers a next step that works", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`/${tenant}/exceptions`);
    await expect(page.getByRole("heading", { name: "No open exceptions" })).toBeVisible();
    await page.getByRole("button", { name: "Copy the command" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const body = /-d '(.*)'/.exec(copied)?.[1] ?? "";
    const path = /curl \S+?(\/v1\/\S+)/.exec(copied)?.[1] ?? "";
    expect(copied).toContain(`X-Tenant-Id: ${tenant}`);
    const answer = await api("POST", path, {
      bearer: await userToken(tenant, ["tenant_lead"]),
      tenant,
      body: JSON.parse(body),
    });
    expect(answer.status).toBe(201);
    await expect(rows(page).first()).toBeVisible();
  });

  test("downloads the report of the last 30 days, and reports a failure", async ({ page }) => {
    await report(tenant, { title: "Late one", due_in_minutes: -30, severity: "critical" });
    await page.goto(`/${tenant}/exceptions`);
    const chooseMenuItem = async (name: string) => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      chooseMenuItem("By severity"),
    ]);
    expect(download.suggestedFilename()).toMatch(
      new RegExp(`^sla-${tenant}-by-severity-\\d{4}-\\d\\d-\\d\\d\\.csv$`),
    );
    const [columns, row] = (await readFile(await download.path(), "utf8")).split("\r\n");
    expect(columns).toMatch(/^key,opened,resolved,breached,/);
    expect(row).toMatch(/^critical,1,0,1,/);

    await page.route("**/sla/report/export?**", (route) =>
      route.fulfill({
        status: 503,
        json: { code: "unavailable", detail: "Not now.", request_id: null },
      }),
    );
    await chooseMenuItem("By day");
    await expect(page.getByRole("status").getByText("Not now.")).toBeVisible();
  });

  test("draws time to breach and breaches per day on request, also as tables", async ({ page }) => {
    await report(tenant, { title: "Late one", due_in_minutes: -30 });
    await report(tenant, { title: "Soon due", due_in_minutes: 45 });
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Soon due")).toBeVisible();
    await expect(page.getByRole("application", { name: /^Breaches per day/ })).toHaveCount(0);

    await page.getByRole("button", { name: "Charts" }).click();
    await expect(page).toHaveURL(/charts=true/);
    await page.reload();
    await expect(
      page.getByRole("application", { name: /^Open exceptions by time to breach: 2 in total/ }),
    ).toBeVisible();
    await expect(
      page.getByRole("application", { name: /^Breaches per day: 1 in total/ }),
    ).toBeVisible();
    for (const summary of await page.getByText("Show as table").all()) await summary.click();
    const open = page.getByRole("table", { name: "Open exceptions by time to breach" });
    await expect(open.getByRole("row", { name: "Up to 1 day late 1" })).toBeVisible();
    await expect(open.getByRole("row", { name: "Under 1 hour left 1" })).toBeVisible();
    const breaches = page.getByRole("table", { name: "Breaches per day" }).getByRole("row");
    await expect(breaches).toHaveCount(31);
    await expect(breaches.last()).toHaveAccessibleName(/^\d{1,2} [A-Z][a-z]{2,3} 1$/);

    await page.getByRole("button", { name: "Charts" }).click();
    await expect(page).not.toHaveURL(/charts/);
    await expect(page.getByRole("application", { name: /^Breaches per day/ })).toHaveCount(0);
  });

  test("says when nothing matches, and clears the filters", async ({ page }) => {
    await report(tenant, { title: "Only one", due_in_minutes: 900, severity: "low" });
    await page.goto(`/${tenant}/exceptions?severity=critical`);
    await expect(page.getByRole("heading", { name: "No matching exceptions" })).toBeVisible();
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).last().click();
    await expect(rowOf(page, "Only one")).toBeVisible();
  });

  test("an error shows its request id, and trying again works", async ({ page }) => {
    await report(tenant, { title: "Still there", due_in_minutes: 30 });
    await page.goto(`/${tenant}/exceptions`);
    const problem = {
      code: "internal",
      detail: "Something went wrong on our side.",
      request_id: "req_0123456789abcdef",
    };
    await page.route("**/v1/**", (route) => route.fulfill({ status: 500, json: problem }));
    await page.getByRole("button", { name: /^At risk/ }).click();
    await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible();
    await page.unroute("**/v1/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(rowOf(page, "Still there")).toBeVisible();
  });

  test("scrolls through 300 exceptions with fewer than 80 rows in the DOM", async ({ page }) => {
    await reportMany(tenant, 300);
    await page.goto(`/${tenant}/exceptions`);
    await expect(rowOf(page, "Item 1")).toBeVisible();
    await scrollToEnd(page, "All 300 shown");
    await expect(rowOf(page, "Item 300")).toBeVisible();
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    await expect(page.getByRole("table")).toHaveAttribute("aria-rowcount", "302");
    await expect(rowOf(page, "Item 300")).toHaveAttribute("aria-rowindex", "302");
  });
});
