import { expect, type Page } from "@playwright/test";
import { api, createTenant } from "../fixtures.ts";
import { createMonth, type Month } from "../views/month.ts";
import { SESSION } from "./figures.ts";
import { beSignedIn, tabTo } from "./person.ts";
import { test } from "./test.ts";

const SLOW = 300_000;
const RUN_TIMEOUT_MS = 180_000;
/**
 * Open lines of the ledger: two thirds have a suggestion, a third have no counterpart. With the
 * bank's 24, both sides have 60.
 */
const OPEN = 36;
const SUGGESTED = 24;

test.setTimeout(SLOW);

let month: Month;
test.beforeEach(async ({ context }) => {
  const tenant = await createTenant();
  month = await createMonth(tenant, { open: OPEN });
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "ada");
});

const periodOf = ({ tenant, october }: Month) => `/${tenant}/reconciliations/${october}`;
const pane = (page: Page, name: RegExp) => page.getByRole("listbox", { name });
const bank = /Commerzbank/;
const ledger = /Receivables/;
const ask = async <Body>({ tenant, october, bearer }: Month, path: string) =>
  (await api("GET", `/v1/reconciliations/${october}/${path}`, { bearer, tenant })).json as Body;

const endedRuns = async () => {
  const { items } = await ask<{ items: { status: string }[] }>(month, "runs");
  return items.filter(({ status }) => status === "done").length;
};

/** A suggestion whose difference was explained is a match by hand. */
const isMatched = (action: string) => action === "confirm" || action === "match";
const question = (page: Page) => page.getByRole("dialog", { name: /^Match and explain/ });

/** Whether a difference has to be explained; a suggestion without one is matched at once. */
async function asksForExplanation(page: Page, left: number): Promise<boolean> {
  const text = left > 1 ? `${left - 1} open` : "Nothing is open on this side.";
  await expect(
    question(page)
      .or(page.getByText(text, { exact: true }).first())
      .first(),
  ).toBeVisible();
  return question(page).isVisible();
}

const writeOff = (page: Page) =>
  question(page)
    .getByRole("button", { name: /^Write off/ })
    .click();

/**
 * Opens the period and counts actions and refusals. @returns a function that adds them to the
 * report.
 */
async function beginSession(page: Page): Promise<() => Record<"keys" | "clicks", number>> {
  const counted = { keys: 0, clicks: 0, refusals: 0 };
  await page.exposeFunction("count", (kind: "keys" | "clicks") => {
    counted[kind] += 1;
  });
  await page.addInitScript(
    "for (const [type, kind] of [['keydown', 'keys'], ['click', 'clicks']]) addEventListener(type, ({ detail }) => (kind === 'keys' || detail > 0) && count(kind), true)",
  );
  page.on("response", (answer) => {
    if (answer.url().includes("/v1/") && answer.status() >= 400) counted.refusals += 1;
  });
  await page.goto(periodOf(month));
  const begun = performance.now();
  return () => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    test
      .info()
      .annotations.push({ type: SESSION, description: JSON.stringify({ ...counted, seconds }) });
    return counted;
  };
}

test("a month is tied out and closed by the keyboard alone", async ({ page }) => {
  const press = (key: string) => page.keyboard.press(key);
  const end = await beginSession(page);
  await tabTo(page, page.getByRole("link", { name: /Workbench/ }));
  await press("Enter");
  await expect(pane(page, bank)).toBeFocused();
  const match = page.getByRole("button", { name: "Match", exact: false });
  for (let left = SUGGESTED; left > 0; left--) {
    await expect(page.getByText(`${left} open`, { exact: true }).first()).toBeVisible();
    await expect(match.first()).toBeEnabled();
    await press("Enter");
    if (await asksForExplanation(page, left)) await press("Enter");
  }
  await expect(page.getByText("Nothing is open on this side.")).toBeVisible();
  await press("e");
  await page.keyboard.type("Not ours");
  await press("Enter");
  await expect(page.getByText(`${OPEN - SUGGESTED - 1} open`, { exact: true })).toBeVisible();
  await press("u");
  await expect(page.getByText(`${OPEN - SUGGESTED} open`, { exact: true })).toBeVisible();

  await page.goBack();
  await tabTo(page, page.getByRole("button", { name: "Close period" }));
  await press("Enter");
  await expect(page.getByRole("dialog").getByText("Holds to the cent")).toBeVisible();
  await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Close period" }));
  await press("Enter");
  await expect(page.getByText("This period is locked.")).toBeVisible();
  end();

  const proof = await ask<{ holds: boolean }>(month, "proof");
  expect(proof.holds).toBe(true);
  const { items } = await ask<{ items: { action: string; undone_at: string | null }[] }>(
    month,
    "decisions?limit=100",
  );
  expect(items.map(({ action }) => action).filter(isMatched)).toHaveLength(SUGGESTED);
  expect(items.filter(({ undone_at }) => undone_at !== null)).toHaveLength(1);
});

test("a month is tied out and closed by the mouse alone", async ({ page }) => {
  const end = await beginSession(page);
  await page.getByRole("button", { name: "Run now" }).click();
  await expect.poll(endedRuns, { timeout: RUN_TIMEOUT_MS }).toBe(2);
  await page.getByRole("link", { name: /Workbench/ }).click();
  const match = page.getByRole("button", { name: "Match", exact: false }).first();
  const acceptAt = async (left: number) => {
    await expect(page.getByText(`${left} open`, { exact: true }).first()).toBeVisible();
    await expect(match).toBeEnabled();
    await match.click();
    if (await asksForExplanation(page, left)) await writeOff(page);
  };
  await acceptAt(SUGGESTED);
  await acceptAt(SUGGESTED - 1);
  // The second suggestion has no difference, so undoing its match restores it.
  await expect(page.getByText(`${SUGGESTED - 2} open`, { exact: true }).first()).toBeVisible();
  await page.getByRole("group", { name: "Decide" }).getByRole("button", { name: "Undo" }).click();
  await pane(page, bank).getByRole("option").first().click();
  for (let left = SUGGESTED - 1; left > 0; left--) await acceptAt(left);
  await expect(page.getByText("Nothing is open on this side.")).toBeVisible();

  await page
    .getByRole("navigation", { name: "Breadcrumb" })
    .getByRole("link", { name: /October/ })
    .click();
  await page.getByRole("button", { name: "Close period" }).click();
  await expect(page.getByRole("dialog").getByText("Holds to the cent")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Close period" }).click();
  await expect(page.getByText("This period is locked.")).toBeVisible();
  expect(end().keys).toBe(0);

  const { items } = await ask<{ items: { action: string; undone_at: string | null }[] }>(
    month,
    "decisions?limit=100",
  );
  const standing = items.filter(({ undone_at }) => undone_at === null);
  expect(standing.map(({ action }) => action).filter(isMatched)).toHaveLength(SUGGESTED);
  expect(items).toHaveLength(SUGGESTED + 1);
});

test("lines are found, matched by hand and written off, with the difference always in view", async ({
  page,
}) => {
  await page.goto(`${periodOf(month)}/workbench`);
  await expect(pane(page, bank)).toBeFocused();
  // The bank's line is short by 2.50.
  await page.getByRole("searchbox", { name: "Find by amount or text" }).fill("RG-2026-0100");
  for (const side of [bank, ledger]) {
    await expect(pane(page, side).getByRole("option")).toHaveCount(1);
    await pane(page, side).getByRole("option").click();
    await page.keyboard.press("x");
  }
  await expect(page.locator("dd [role=status]")).toHaveText("-€2.50");
  await page.keyboard.press("Enter");
  await expect(page.getByText("-€2.50 isn't explained")).toBeVisible();
  await page.keyboard.press("w");
  await page.getByRole("button", { name: "Write off -€2.50" }).click();
  await expect(page.getByText(/^Matched 2 lines/)).toBeVisible();
  await expect
    .poll(
      async () =>
        (await ask<{ adjustments: { kind: string; amount_minor: number }[] }>(month, "statement"))
          .adjustments,
    )
    .toMatchObject([{ kind: "write_off", amount_minor: -250 }]);
});

test("another person's decision shows by name within about a second", async ({ page }) => {
  await page.goto(`${periodOf(month)}/workbench`);
  await expect(page.getByText(`${SUGGESTED} open`, { exact: true }).first()).toBeVisible();
  const { items } = await ask<{ items: { id: string }[] }>(month, "matches?state=suggested");
  const { status } = await api("POST", `/v1/matches/${items[0]?.id}/confirm`, {
    bearer: month.bearer,
    tenant: month.tenant,
  });
  expect(status).toBe(200);
  await expect(page.getByText("leo confirmed a match")).toBeVisible();
  await expect(page.getByText(`${SUGGESTED - 1} open`, { exact: true }).first()).toBeVisible();
});

test("a decision that came too late says so, and the lists are refreshed", async ({ page }) => {
  await page.goto(`${periodOf(month)}/workbench`);
  const match = page.getByRole("button", { name: "Match", exact: false }).first();
  await expect(match).toBeEnabled();
  // The page no longer receives others' decisions once its pending request has ended.
  const cut = page.waitForEvent("requestfailed", (request) => request.url().includes("/decisions"));
  await page.route(/decisions/, (route) => route.abort());
  await cut;
  const { items } = await ask<{ items: { id: string }[] }>(
    month,
    "matches?state=suggested&limit=250",
  );
  const body = { action: "confirm", ids: items.map(({ id }) => id) };
  expect(
    (await api("POST", "/v1/matches/bulk", { bearer: month.bearer, tenant: month.tenant, body }))
      .status,
  ).toBe(200);
  await match.click();
  await writeOff(page);
  await expect(page.getByText("Couldn't save the decision")).toBeVisible();
  await expect(page.getByText("Nothing is open on this side.")).toBeVisible();
});

test("suggestions are accepted in bulk after a sample, and undone by U", async ({ page }) => {
  await page.goto(`${periodOf(month)}/workbench`);
  await expect(pane(page, bank)).toBeFocused();
  await page.keyboard.press("b");
  const band = page.getByRole("dialog").getByRole("listitem").first();
  await expect(band).toContainText("No decisions yet");
  await band.getByRole("button").click();
  const accept = page.getByRole("dialog").getByRole("button", { name: /^Accept \d+$/ });
  const count = Number((await accept.textContent())?.replace(/\D/g, ""));
  await expect(page.getByRole("table", { name: "Sample" }).getByRole("row")).toHaveCount(
    Math.min(20, count) + 1,
  );
  await accept.click();
  await expect(page.getByText(`Confirmed ${count} matches`)).toBeVisible();
  await expect(
    page
      .getByText(`${SUGGESTED - count} open`, { exact: true })
      .or(page.getByText("Nothing is open on this side."))
      .first(),
  ).toBeVisible();
  await page.keyboard.press("u");
  await expect(page.getByText(`${SUGGESTED} open`, { exact: true }).first()).toBeVisible();
});

test("“always do this” drafts a rule, previews it, and saves it only on request", async ({
  page,
}) => {
  await page.goto(`${periodOf(month)}/workbench`);
  await page.getByRole("button", { name: "Always do this…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Newly matched").first()).toBeVisible({ timeout: 60_000 });
  const version = async () => (await ask<{ version: number }>(month, "rules")).version;
  expect(await version()).toBe(0);
  await dialog.getByRole("button", { name: "Save rules" }).click();
  await expect(page.getByText("Saved version 1. Open periods run again.")).toBeVisible();
  expect(await version()).toBe(1);
});
