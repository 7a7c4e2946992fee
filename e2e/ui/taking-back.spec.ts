/**
 * A decision applies to the selected lines, and decisions of a run or another person can be undone
 * on a line's page.
 */
import { expect, type Page } from "@playwright/test";
import type { Line } from "#lib/lines/contract.ts";
import type { Decision, OpenLine } from "#lib/matching/workbench/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { api, createTenant } from "../fixtures.ts";
import { createMonth, type Month } from "../views/month.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

const SLOW = 300_000;
/** A line that both sides have, equal except for its reference. */
const SAME_AMOUNT = { minor: 331_819, text: "€3,318.19" };

test.setTimeout(SLOW);

let month: Month;
test.beforeEach(async ({ context }) => {
  const tenant = await createTenant();
  month = await createMonth(tenant);
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "ada");
});

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const { status, text, json } = await api(method, `/v1/${path}`, {
    bearer: month.bearer,
    tenant: month.tenant,
    body,
  });
  expect(status, text).toBeLessThan(300);
  return json as Answer;
}

async function listed<Item>(path: string): Promise<Item[]> {
  return (await call<{ items: Item[] }>("GET", path)).items;
}
const bankLines = () => listed<OpenLine>(`reconciliations/${month.october}/open-lines?side=left`);
const decisions = () => listed<Decision>(`reconciliations/${month.october}/decisions`);
const lineNow = (id: string) => call<Line>("GET", `lines/${id}`);

const dialog = (page: Page) => page.getByRole("dialog").last();
const pane = (page: Page, name: RegExp) => page.getByRole("listbox", { name });
const pick = (page: Page, side: RegExp, text: string) =>
  pane(page, side)
    .getByRole("option")
    .filter({ hasText: text })
    .first()
    .click({ modifiers: ["ControlOrMeta"] });
const BANK = /Commerzbank/;
const LEDGER = /Receivables/;

async function openWorkbench(page: Page): Promise<void> {
  await page.goto(`/${month.tenant}/reconciliations/${month.october}/workbench`);
  await expect(pane(page, BANK)).toBeFocused();
}

async function anyMatchedLine(period: string): Promise<Line> {
  const [line] = await listed<Line>(`lines?reconciliation_id=${period}&state=matched&limit=1`);
  if (!line) throw new Error("Nothing is matched.");
  return line;
}
const openLine = (page: Page, id: string) => page.goto(`/${month.tenant}/lines?line=${id}`);

for (const key of ["w", "e"])
  test(`${key.toUpperCase()} excludes the selected line, not the one at the cursor`, async ({
    page,
  }) => {
    const [first] = await bankLines();
    await openWorkbench(page);
    await page.keyboard.press("x");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(key);
    await page.getByRole("dialog").getByLabel("Reason").fill("Not ours");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/^Excluded €/)).toBeVisible();
    expect(await decisions()).toMatchObject([{ action: "exclude", line_id: first?.id }]);
    await expect(page.getByText("Selected by hand")).toHaveCount(0);
  });

test("lines of several currencies are summed per currency, and can't be matched", async ({
  page,
}) => {
  const { left_source_id } = await call<Reconciliation>("GET", `reconciliations/${month.october}`);
  const line = {
    external_id: "usd",
    amount: "10.00",
    currency: "USD",
    value_date: "2026-10-05",
    reference: "In dollars",
  };
  await call("POST", `sources/${left_source_id}/lines`, { lines: [line] });
  await openWorkbench(page);
  await pick(page, BANK, "In dollars");
  await pick(page, LEDGER, SAME_AMOUNT.text);
  await expect(page.locator("dd [role=status]")).toHaveText(`$10.00 · -${SAME_AMOUNT.text}`);
  for (const key of ["Enter", "w", "s"]) {
    await page.keyboard.press(key);
    const refusal = page
      .getByRole("status")
      .filter({ hasText: "These lines are in several currencies. A match needs one." });
    await expect(refusal).not.toHaveCount(0);
    await refusal.first().getByRole("button").last().click();
    await expect(refusal).toHaveCount(0);
  }
});

test("selected lines stay selected if the server refuses the match", async ({ page }) => {
  const line = (await bankLines()).find(({ open_minor }) => open_minor === SAME_AMOUNT.minor);
  await openWorkbench(page);
  await pick(page, BANK, SAME_AMOUNT.text);
  await pick(page, LEDGER, SAME_AMOUNT.text);
  await call("POST", `matches/${line?.suggestion?.match_id}/confirm`);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Couldn't save the decision")).toBeVisible();
  await expect(page.getByText("Selected by hand")).toBeVisible();
  await expect(page.getByText("2 lines", { exact: true })).toBeVisible();
});

test("a run's match is undone from one of its lines", async ({ page }) => {
  const { id } = await anyMatchedLine(month.october);
  await openLine(page, id);
  await dialog(page).getByRole("button", { name: "Undo match" }).click();
  await dialog(page).getByRole("button", { name: "Undo match" }).click();
  await expect(page.getByText("Match undone", { exact: true })).toBeVisible();
  await expect(dialog(page).getByText("Open", { exact: true })).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Undo match" })).toHaveCount(0);
  expect(await lineNow(id)).toMatchObject({ state: "open", match_ids: [] });
});

test("a match of a closed period can't be undone, and the page says why", async ({ page }) => {
  const { id } = await anyMatchedLine(month.september);
  await openLine(page, id);
  await dialog(page).getByRole("button", { name: "Undo match" }).click();
  await dialog(page).getByRole("button", { name: "Undo match" }).click();
  await expect(dialog(page).getByText("The period is closed. Reopen it first.")).toBeVisible();
  expect(await lineNow(id)).toMatchObject({ state: "matched" });
});

test("a colleague's exclusion can be reverted with a reason", async ({ page }) => {
  const id = (await bankLines())[0]?.id as string;
  await call("POST", `lines/${id}/exclude`, {
    reason: "Booked twice",
    reconciliation_id: month.october,
  });
  await openLine(page, id);
  await dialog(page).getByRole("button", { name: "Include again" }).click();
  await dialog(page).getByRole("button", { name: "Include line" }).click();
  await dialog(page).getByLabel("Reason").fill("It was ours");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Line included again")).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Include again" })).toHaveCount(0);
  expect(await lineNow(id)).toMatchObject({ state: "open" });
});

test("a member who may only confirm suggestions can't undo a match or an exclusion", async ({
  page,
  context,
}) => {
  const excluded = (await bankLines())[0]?.id as string;
  await call("POST", `lines/${excluded}/exclude`, {
    reason: "Booked twice",
    reconciliation_id: month.october,
  });
  const matched = await anyMatchedLine(month.october);
  await beSignedIn(context, { [month.tenant]: ["tenant_analyst"] }, "ben");
  await openLine(page, matched.id);
  await expect(dialog(page).getByRole("heading", { name: "Match", exact: true })).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Undo match" })).toHaveCount(0);
  await openLine(page, excluded);
  await expect(
    dialog(page)
      .getByText(/Booked twice/)
      .first(),
  ).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Include again" })).toHaveCount(0);
});
