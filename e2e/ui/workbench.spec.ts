import { expect, type Page } from "@playwright/test";
import { api, createTenant } from "../fixtures.ts";
import { createMonth, type Month } from "../views/month.ts";
import { beSignedIn, tabTo } from "./person.ts";
import { test } from "./test.ts";

const SLOW = 180_000;
/** A side: two thirds have a suggestion, a third of the ledger's stand alone. */
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

test("a month is tied out and closed by the keyboard alone", async ({ page }) => {
  let keys = 0;
  await page.exposeFunction("countKey", () => {
    keys += 1;
  });
  await page.addInitScript("document.addEventListener('keydown', () => countKey(), true)");
  const press = (key: string) => page.keyboard.press(key);
  await page.goto(periodOf(month));
  const begun = performance.now();
  await tabTo(page, page.getByRole("link", { name: /Workbench/ }));
  await press("Enter");
  await expect(pane(page, bank)).toBeFocused();
  const match = page.getByRole("button", { name: "Match", exact: false });
  for (let left = SUGGESTED; left > 0; left--) {
    await expect(page.getByText(`${left} open`, { exact: true }).first()).toBeVisible();
    await expect(match.first()).toBeEnabled();
    await press("Enter");
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
  await expect(page.getByText("Nothing in this period changes any more.")).toBeVisible();
  const seconds = Math.round((performance.now() - begun) / 1000);
  test.info().annotations.push({ type: "session", description: JSON.stringify({ keystrokes: keys, seconds, decisions: SUGGESTED + 2 }) });

  const proof = await ask<{ holds: boolean }>(month, "proof");
  expect(proof.holds).toBe(true);
  const { items } = await ask<{ items: { action: string; undone_at: string | null }[] }>(month, "decisions?limit=100");
  expect(items.filter(({ action }) => action === "confirm")).toHaveLength(SUGGESTED);
  expect(items.filter(({ undone_at }) => undone_at !== null)).toHaveLength(1);
});

test("lines are found, matched by hand and written off, with the difference always in view", async ({ page }) => {
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
    .poll(async () => (await ask<{ adjustments: { kind: string; amount_minor: number }[] }>(month, "statement")).adjustments)
    .toMatchObject([{ kind: "write_off", amount_minor: -250 }]);
});

test("what somebody else decides shows within a second or so, by name", async ({ page }) => {
  await page.goto(`${periodOf(month)}/workbench`);
  await expect(page.getByText(`${SUGGESTED} open`, { exact: true }).first()).toBeVisible();
  const { items } = await ask<{ items: { id: string }[] }>(month, "matches?state=suggested");
  const { status } = await api("POST", `/v1/matches/${items[0]?.id}/confirm`, { bearer: month.bearer, tenant: month.tenant });
  expect(status).toBe(200);
  await expect(page.getByText("leo confirmed a match")).toBeVisible();
  await expect(page.getByText(`${SUGGESTED - 1} open`, { exact: true }).first()).toBeVisible();
});
