/** The workbench while responses are pending: decisions act on what they were meant for. */
import { expect, type Page } from "@playwright/test";
import type { Decision, OpenLine } from "#lib/matching/workbench/contract.ts";
import { api, createTenant } from "../fixtures.ts";
import { createMonth, type Month } from "../views/month.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

const SLOW = 300_000;
/** Open lines of the ledger, two thirds of which have a suggestion. */
const OPEN = 18;
const SUGGESTED = 12;
/** The bank's line is 2.50 less than the ledger's. */
const SHORT = { reference: "RG-2026-0100", by: "-€2.50" };
const EXCLUDE = /\/v1\/lines\/[^/]+\/exclude$/;
const CONFIRM = /\/v1\/matches\/[^/]+\/confirm$/;
const OPEN_LINES = /\/open-lines\?/;

test.setTimeout(SLOW);

let month: Month;
test.beforeEach(async ({ page, context }) => {
  const tenant = await createTenant();
  month = await createMonth(tenant, { open: OPEN });
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "ada");
  await page.goto(`/${tenant}/reconciliations/${month.october}/workbench`);
  await shows(page, SUGGESTED);
});

async function listed<Item>(path: string): Promise<Item[]> {
  const { tenant, october, bearer } = month;
  const { json } = await api("GET", `/v1/reconciliations/${october}/${path}`, { bearer, tenant });
  return (json as { items: Item[] }).items;
}

/** Whether each decision was undone, the newest first. */
const undone = async () =>
  (await listed<Decision>("decisions")).map(({ undone_at }) => undone_at !== null);
const bankLines = () => listed<OpenLine>("open-lines?side=left");

/** Another person confirms the suggestion for one of the bank's lines. */
async function confirmAsOther(place: number): Promise<void> {
  const line = (await bankLines())[place];
  const { tenant, bearer } = month;
  const { status, text } = await api("POST", `/v1/matches/${line?.suggestion?.match_id}/confirm`, {
    bearer,
    tenant,
  });
  expect(status, text).toBe(200);
}

const shows = (page: Page, open: number) =>
  expect(page.getByText(`${open} open`, { exact: true }).first()).toBeVisible();

/**
 * Confirms the current suggestion, or the next one where a difference would have to be explained;
 * `left`: how many of the bank's lines are left.
 */
async function accept(page: Page, left: number): Promise<void> {
  const match = page.getByRole("button", { name: "Match", exact: false }).first();
  await expect(match).toBeEnabled();
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: /explain/ });
  const confirmed = page.getByText(`${left} open`, { exact: true });
  await expect(question.or(confirmed).first()).toBeVisible();
  if (await question.isVisible()) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    await expect(page.locator("dd [role=status]")).toHaveText(/€0\.00$/);
    await expect(match).toBeEnabled();
    await page.keyboard.press("Enter");
  }
  await shows(page, left);
}

/**
 * Confirms two suggestions, and waits for both messages, of which the second replaces the first.
 */
async function acceptTwo(page: Page): Promise<void> {
  const confirmation = page.getByText(/^Confirmed €/);
  await accept(page, SUGGESTED - 1);
  const first = (await confirmation.textContent()) ?? "";
  await accept(page, SUGGESTED - 2);
  await expect(confirmation).not.toHaveText(first);
}

/** Holds back requests to this URL until the returned function is called. */
async function hold(page: Page, url: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // A request that the page has cancelled can't continue.
  await page.route(url, (route) => released.then(() => route.continue()).catch(() => {}));
  return release;
}

/** Executes the call and loses its response, once. */
async function loseResponse(page: Page, urlPattern: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  browser.once("Fetch.requestPaused", async ({ requestId }) => {
    await browser.send("Fetch.failRequest", { requestId, errorReason: "ConnectionReset" });
    await browser.send("Fetch.disable");
  });
  await browser.send("Fetch.enable", { patterns: [{ urlPattern, requestStage: "Response" }] });
}

test("U undoes the pending decision, not the previous one", async ({ page }) => {
  await accept(page, SUGGESTED - 1);
  await expect(page.getByText(/^Confirmed €/)).toBeVisible();
  const release = await hold(page, CONFIRM);
  await accept(page, SUGGESTED - 2);
  await page.keyboard.press("u");
  // By now, an undo that didn't wait would have found the previous decision.
  await page.waitForResponse(/\/decisions\?/);
  await page.waitForResponse(/\/decisions\?/);
  release();
  await expect(page.getByText(/^Match of €.* undone$/)).toBeVisible();
  expect(await undone()).toEqual([true, false]);
});

test("U undoes nothing if the pending decision fails", async ({ page }) => {
  await accept(page, SUGGESTED - 1);
  const release = await hold(page, CONFIRM);
  await accept(page, SUGGESTED - 2);
  await page.keyboard.press("u");
  // The first line's difference has to be explained, so the pending decision is about the second.
  await confirmAsOther(1);
  release();
  await expect(page.getByText("Couldn't save the decision")).toBeVisible();
  await expect(page.getByText("Nothing to undo")).toBeVisible();
  expect(await undone()).toEqual([false, false]);
});

test("an undo whose response is lost is retried before the previous decision is undone", async ({
  page,
}) => {
  await acceptTwo(page);
  await loseResponse(page, "*/undo");
  await page.keyboard.press("u");
  await expect(page.getByText("Couldn't undo")).toBeVisible();
  expect(await undone()).toEqual([true, false]);
  await shows(page, SUGGESTED - 1);

  await page.keyboard.press("u");
  await expect(page.getByText(/^Match of €.* undone$/)).toHaveCount(1);
  expect(await undone()).toEqual([true, false]);
  await page.keyboard.press("u");
  await shows(page, SUGGESTED);
  expect(await undone()).toEqual([true, true]);
});

test("U twice undoes two decisions", async ({ page }) => {
  await accept(page, SUGGESTED - 1);
  await accept(page, SUGGESTED - 2);
  const release = await hold(page, /\/v1\/decisions\/[^/]+\/undo$/);
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  release();
  await shows(page, SUGGESTED);
  expect(await undone()).toEqual([true, true]);
});

test("a toast's Undo reverts its own decision", async ({ page }) => {
  await accept(page, SUGGESTED - 1);
  const undoButton = page
    .getByRole("status")
    .filter({ hasText: "Confirmed €" })
    .getByRole("button", { name: "Undo" });
  await expect(undoButton).toHaveCount(1);
  // The toast is about the first decision until the next one has been answered.
  const release = await hold(page, CONFIRM);
  await accept(page, SUGGESTED - 2);
  await undoButton.click();
  release();
  await expect.poll(undone).toEqual([false, true]);
});

test("a bulk decision's toast reverts only that decision", async ({ page }) => {
  await page.keyboard.press("b");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("listitem").first().getByRole("button").click();
  const all = dialog.getByRole("button", { name: /^Accept \d+$/ });
  const count = Number((await all.textContent())?.replace(/\D/g, ""));
  await all.click();
  await shows(page, SUGGESTED - count);
  const release = await hold(page, EXCLUDE);
  await page.keyboard.press("e");
  await page.keyboard.type("Not ours");
  await page.keyboard.press("Enter");
  await page
    .getByRole("status")
    .getByText(`Confirmed ${count} matches`)
    .locator("xpath=../..")
    .getByRole("button", { name: "Undo" })
    .click();
  release();
  await expect.poll(undone).toEqual([false, true]);
});

test("lines restored by an undo show, even if the next decision finishes first", async ({
  page,
}) => {
  const confirmation = page.getByText(/^Confirmed €/);
  await accept(page, SUGGESTED - 1);
  const first = (await confirmation.textContent()) ?? "";
  const release = await hold(page, OPEN_LINES);
  const requested = page.waitForRequest(OPEN_LINES);
  await page.keyboard.press("u");
  await requested;
  await accept(page, SUGGESTED - 2);
  await expect(confirmation).not.toHaveText(first);
  release();
  await shows(page, SUGGESTED - 1);
});

test("lines of a pending decision that a refresh restores disappear when it is saved", async ({
  page,
}) => {
  const release = await hold(page, CONFIRM);
  await accept(page, SUGGESTED - 1);
  const refreshed = page.waitForResponse(
    (answer) => OPEN_LINES.test(answer.url()) && answer.url().includes("side=left"),
  );
  await confirmAsOther(3);
  await refreshed;
  await expect(page.getByText("leo confirmed a match")).toBeVisible();
  release();
  await shows(page, SUGGESTED - 2);
});

test("keys typed after B reach its dialog", async ({ page }) => {
  await page.route("**/_next/static/chunks/**", () => {});
  await page.keyboard.press("b");
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("the exclusion dialog excludes only the line that it was opened for", async ({ page }) => {
  await page.keyboard.press("e");
  await page.keyboard.type("Not ours");
  const title = await page.getByRole("dialog").getByRole("heading").textContent();
  await confirmAsOther(0);
  await shows(page, SUGGESTED - 1);
  await expect(page.getByRole("dialog").getByRole("heading")).toHaveText(title ?? "");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Couldn't save the decision")).toBeVisible();
  expect(await listed<Decision>("decisions")).toMatchObject([{ action: "confirm" }]);
});

test("the explanation dialog explains only the difference that it was opened for", async ({
  page,
}) => {
  const lines = await bankLines();
  const place = lines.findIndex(({ reference }) => reference === SHORT.reference);
  for (let step = 0; step < place; step++) await page.keyboard.press("ArrowDown");
  await expect(page.locator("dd [role=status]")).toHaveText(SHORT.by);
  await page.keyboard.press("w");
  const heading = page.getByRole("dialog").getByRole("heading");
  await expect(heading).toHaveText(`Match and explain ${SHORT.by}`);
  await confirmAsOther(place);
  await shows(page, SUGGESTED - 1);
  const sent = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/matches"),
  );
  await page.keyboard.press("Enter");
  expect((await sent).postDataJSON().line_ids).toContain(lines[place]?.id);
  await expect(page.getByText("Couldn't save the decision")).toBeVisible();
  expect(await listed<Decision>("decisions")).toMatchObject([{ action: "confirm" }]);
});

test("a rule draft stays open when its suggestion is decided elsewhere", async ({ page }) => {
  await page.getByRole("button", { name: "Always do this…" }).click();
  await page.getByRole("button", { name: "Edit rule" }).click();
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("Mine");
  await confirmAsOther(0);
  await shows(page, SUGGESTED - 1);
  await expect(name).toHaveValue("Mine");
});
