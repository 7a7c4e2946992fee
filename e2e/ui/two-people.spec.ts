import { type BrowserContext, expect, type Page } from "@playwright/test";
import { api, createTenant } from "../fixtures.ts";
import { createMonth, type Month } from "../views/month.ts";
import { SESSION } from "./figures.ts";
import { Film } from "./film.ts";
import { beSignedIn } from "./person.ts";
import { PHONE } from "./soundness.ts";
import { anotherContext, test } from "./test.ts";

const SLOW = 300_000;
/** Of the bank's lines each has a suggestion, of the ledger's a third stand alone. */
const OPEN = 9;
const SUGGESTED = 6;
/** A page that was left open asks again within so long. */
const ASKED_AGAIN_MS = 45_000;

type Counted = { keys: number; clicks: number };

test.setTimeout(SLOW);

const ask = async <Body>(
  { tenant, october, bearer }: Month,
  method: string,
  path: string,
  body?: object,
) => {
  const { status, text, json } = await api(method, `/v1/reconciliations/${october}/${path}`, {
    bearer,
    tenant,
    body,
  });
  expect(status, text).toBe(200);
  return json as Body;
};

async function counting(context: BrowserContext): Promise<Counted> {
  const counted = { keys: 0, clicks: 0 };
  await context.exposeFunction("count", (kind: keyof Counted) => {
    counted[kind] += 1;
  });
  await context.addInitScript(
    "for (const [type, kind] of [['keydown', 'keys'], ['click', 'clicks']]) addEventListener(type, ({ detail }) => (kind === 'keys' || detail > 0) && count(kind), true)",
  );
  return counted;
}

const match = (page: Page) =>
  page.getByRole("group", { name: "Decide" }).getByRole("button", { name: "Match", exact: false });
const dialog = (page: Page) => page.getByRole("dialog").last();

test("a month is tied out and closed by two people", async ({ page: ada, context, browser }) => {
  const tenant = await createTenant();
  const month = await createMonth(tenant, { open: OPEN });
  const { rules } = await ask<{ rules: object[] }>(month, "GET", "rules");
  await ask(month, "PUT", "rules", { rules, four_eyes: true });
  const pocket = await anotherContext(browser, { viewport: PHONE, hasTouch: true, isMobile: true });
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "ada");
  await beSignedIn(pocket, { [tenant]: ["tenant_lead"] }, "ben");
  const acts = [await counting(context), await counting(pocket)];
  const ben = await pocket.newPage();
  const film = new Film("A month is closed by two people");
  const began = performance.now();
  const period = `/${tenant}/reconciliations/${month.october}`;

  await ada.goto(period);
  await expect(ada.getByText("Same reference", { exact: true })).toBeVisible();
  await film.take(ada, "Ada opens October");
  await ada.getByRole("link", { name: /^Workbench/ }).click();
  await expect(match(ada)).toBeEnabled();
  await film.take(ada, "Ada sees what is open, and a suggestion with its reasons");

  await ben.goto(period);
  await film.take(ben, "Ben opens it on his phone");
  await ben.getByRole("link", { name: /^Workbench/ }).tap();
  await expect(match(ben)).toBeEnabled();
  await film.take(ben, "The workbench on Ben's phone");
  for (let left = SUGGESTED; left > SUGGESTED / 2; left -= 1) {
    await expect(ben.getByText(`Left · ${left}`, { exact: true })).toBeVisible();
    await expect(match(ben)).toBeEnabled();
    await match(ben).tap();
  }
  await expect(ben.getByText(`Left · ${SUGGESTED / 2}`, { exact: true })).toBeVisible();
  await film.take(ben, "Ben confirmed three suggestions");
  await expect(ada.getByText(/^ben confirmed/)).toBeVisible();
  await film.take(ada, "Ada reads that Ben did");

  for (let left = SUGGESTED / 2; left > 0; left -= 1) {
    await expect(ada.getByText(`${left} open`, { exact: true }).first()).toBeVisible();
    await expect(match(ada)).toBeEnabled();
    await ada.keyboard.press("Enter");
  }
  await expect(ada.getByText("Nothing is open on this side.")).toBeVisible();
  await ada.keyboard.press("e");
  await ada.keyboard.type("Booked in another ledger");
  await film.take(ada, "Ada excludes a line that stands alone, and says why");
  await ada.keyboard.press("Enter");
  await expect(ada.getByText(/^Excluded €/)).toBeVisible();
  await expect(ada.getByText(`${OPEN - SUGGESTED - 1} open`, { exact: true })).toBeVisible();
  await expect(ben.getByText(/^ada excluded a line/)).toBeVisible();
  await film.take(ben, "Ben reads that Ada did");

  await ada
    .getByRole("navigation", { name: "Breadcrumb" })
    .getByRole("link", { name: /October/ })
    .click();
  await ada.getByRole("button", { name: "Close period" }).click();
  await expect(
    dialog(ada).getByText("A second person has to close this period", { exact: false }),
  ).toBeVisible();
  await film.take(ada, "Closing says what becomes of the rest, and that it takes a second person");
  await dialog(ada).getByRole("button", { name: "Close period" }).click();
  await expect(
    dialog(ada).getByText("Ask somebody who did not to close it.", { exact: false }),
  ).toBeVisible();
  await film.take(ada, "Ada excluded a line: she doesn't close it");
  await ada.keyboard.press("Escape");

  await ben.goBack();
  await ben.getByRole("button", { name: "Close period" }).tap();
  await expect(dialog(ben).getByText("Holds to the cent")).toBeVisible();
  await film.take(ben, "Ben reads the proof");
  await dialog(ben).getByRole("button", { name: "Close period" }).tap();
  await expect(ben.getByText("This period is locked.")).toBeVisible();
  await film.take(ben, "Ben closed October");
  await expect(ada.getByText("This period is locked.")).toBeVisible({
    timeout: ASKED_AGAIN_MS,
  });
  await ada.getByRole("link", { name: "Statement" }).click();
  await expect(ada.getByText(/^Closed .* by ben$/)).toBeVisible();
  await expect(ada.getByText("Booked in another ledger")).toBeVisible();
  await film.take(ada, "Ada reads the statement");

  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = acts.map(
    ({ keys, clicks }, nth) => `${["Ada", "Ben"][nth]}: ${keys} keys, ${clicks} clicks and taps`,
  );
  test.info().annotations.push({
    type: SESSION,
    description: JSON.stringify({
      keys: acts[0]?.keys,
      clicks: acts[0]?.clicks,
      taps: acts[1]?.clicks,
      seconds,
    }),
  });
  await film.sheet(browser, `${figures.join("; ")}; ${seconds} seconds, pictures included.`);
  await pocket.close();

  expect(await ask<{ holds: boolean }>(month, "GET", "proof")).toMatchObject({ holds: true });
  const { items } = await ask<{ items: { action: string; created_by: string }[] }>(
    month,
    "GET",
    "decisions?limit=100",
  );
  expect(items.map(({ action, created_by }) => [action, created_by])).toEqual([
    ["exclude", "user:ada"],
    ...Array.from({ length: SUGGESTED / 2 }, () => ["confirm", "user:ada"]),
    ...Array.from({ length: SUGGESTED / 2 }, () => ["confirm", "user:ben"]),
  ]);
});
