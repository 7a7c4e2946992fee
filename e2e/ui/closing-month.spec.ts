import { type BrowserContext, expect, type Page } from "@playwright/test";
import { api, createTenant } from "../fixtures.ts";
import { createMonth, type Month } from "../views/month.ts";
import { SESSION } from "./figures.ts";
import { Film } from "./film.ts";
import { beSignedIn } from "./person.ts";
import { PHONE } from "./soundness.ts";
import { anotherContext, test } from "./test.ts";

const SLOW = 300_000;
/** Each of the bank's open lines has a suggestion; a third of the ledger's have no counterpart. */
const OPEN = 9;
/** An open page polls again within this time. */
const POLL_MS = 45_000;

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

async function countActions(context: BrowserContext): Promise<Counted> {
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
const checks = (page: Page) => page.getByRole("list", { name: "Checks before a close" }).first();
const sees = (page: Page, text: string | RegExp) =>
  expect(page.getByText(text).first()).toBeVisible({ timeout: POLL_MS });
const scrollTo = (page: Page, text: string) =>
  page
    .getByText(text)
    .first()
    .evaluate((element) => element.scrollIntoView({ block: "center" }));

/** Ada prepares at her desk, Ben reviews and closes on his phone, Cleo audits. */
test("a month is prepared, reviewed, closed and audited by three people", async ({
  page: ada,
  context,
  browser,
}) => {
  const tenant = await createTenant();
  const month = await createMonth(tenant, { open: OPEN });
  const { rules } = await ask<{ rules: object[] }>(month, "GET", "rules");
  await ask(month, "PUT", "rules", { rules, four_eyes: true, review_levels: 1 });
  const { items: suggested } = await ask<{ items: object[] }>(
    month,
    "GET",
    "open-lines?side=left&suggested=true&limit=100",
  );
  const pocket = await anotherContext(browser, { viewport: PHONE, hasTouch: true, isMobile: true });
  const office = await anotherContext(browser, {});
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "ada");
  await beSignedIn(pocket, { [tenant]: ["tenant_lead"] }, "ben");
  await beSignedIn(office, { [tenant]: ["tenant_auditor"] }, "cleo");
  const counts = [
    await countActions(context),
    await countActions(pocket),
    await countActions(office),
  ];
  const [ben, cleo] = [await pocket.newPage(), await office.newPage()];
  const film = new Film("A month is closed by three people");
  const began = performance.now();
  const period = `/${tenant}/reconciliations/${month.october}`;

  await ada.goto(`/${tenant}/closing-board`);
  await sees(ada, "Commerzbank EUR account");
  await film.take(ada, "Ada reads on the month board that October is open");
  await ada.getByRole("link", { name: /October 2026/ }).click();
  await expect(checks(ada)).toContainText("waiting for a decision");
  await checks(ada).evaluate((element) => element.scrollIntoView({ block: "center" }));
  await film.take(ada, "The checklist says what is missing");
  await ada.getByRole("link", { name: "Review them" }).click();
  for (let left = suggested.length; left > 0; left -= 1) {
    await expect(ada.getByText(`${left} open`, { exact: true }).first()).toBeVisible();
    await expect(match(ada)).toBeEnabled();
    if (left === suggested.length)
      await film.take(ada, "The workbench: open lines, and a suggestion with its reasons");
    await ada.keyboard.press("Enter");
    const question = ada.getByRole("heading", { name: /^Match and explain/ });
    const isDecided = ada.getByText(
      left > 1 ? `${left - 1} open` : "Nothing is open on this side.",
    );
    await expect(question.or(isDecided).first()).toBeVisible();
    if (await question.isVisible()) await ada.keyboard.press("Enter");
  }
  await expect(ada.getByText("Nothing is open on this side.")).toBeVisible();
  await ada.keyboard.press("e");
  await ada.keyboard.type("Booked in another ledger");
  await film.take(ada, "Ada excludes a line that stands alone, and says why");
  await ada.keyboard.press("Enter");
  await expect(ada.getByText(/^Excluded €/)).toBeVisible();

  await ada.goto(period);
  await ada.getByRole("button", { name: "Close period" }).click();
  await dialog(ada).getByRole("button", { name: "Close period" }).click();
  await sees(ada, /has to be prepared and reviewed/);
  await film.take(ada, "A close without a review is refused");
  await ada.keyboard.press("Escape");
  await ada.getByRole("button", { name: "Sign as prepared" }).click();
  await dialog(ada).getByLabel("Note").fill("Two receipts arrive in November");
  await film.take(ada, "Ada signs as prepared, with a note");
  await dialog(ada).getByRole("button", { name: "Sign as prepared" }).click();
  await sees(ada, "Two receipts arrive in November");

  await ben.goto(period);
  await sees(ben, "Two receipts arrive in November");
  await scrollTo(ben, "Two receipts arrive in November");
  await film.take(ben, "Ben reads on his phone what Ada signed");
  await ben.getByRole("button", { name: "Return to work" }).tap();
  await dialog(ben).getByLabel("Reason").fill("Which ledger?");
  await film.take(ben, "Ben returns it, and says why");
  await dialog(ben).getByRole("button", { name: "Return to work" }).tap();
  await sees(ada, "Which ledger?");
  await scrollTo(ada, "Which ledger?");
  await film.take(ada, "Ada reads that her signature is revoked, and why");
  await ada.getByRole("button", { name: "Sign as prepared" }).click();
  await dialog(ada).getByLabel("Note").fill("The Vienna ledger, see its statement");
  await dialog(ada).getByRole("button", { name: "Sign as prepared" }).click();
  await expect(ada.getByRole("button", { name: "Sign as reviewed" })).toHaveCount(0);
  await sees(ben, "The Vienna ledger, see its statement");
  await ben.getByRole("button", { name: "Sign as reviewed" }).tap();
  await film.take(ben, "Ben signs as reviewed");
  await dialog(ben).getByRole("button", { name: "Sign as reviewed" }).tap();
  await expect(dialog(ben)).toBeHidden();
  await ben.getByRole("button", { name: "Close period" }).tap();
  await sees(ben, "Holds to the cent");
  await film.take(ben, "Ben reads the proof before he closes");
  await dialog(ben).getByRole("button", { name: "Close period" }).tap();
  await sees(ben, "This period is locked.");
  await film.take(ben, "Ben closed October");
  await sees(ada, "This period is locked.");

  await cleo.goto(`${period}/statement`);
  await sees(cleo, /^Closed .* by ben$/);
  await film.take(cleo, "Cleo, the auditor, reads the statement and who signed it");
  await sees(cleo, "Booked in another ledger");
  const file = cleo.waitForEvent("download");
  await cleo.getByRole("button", { name: "Download bundle" }).click();
  expect((await file).suggestedFilename()).toMatch(/^bundle-.+-.+-2026-10-31-1\.zip$/);
  await scrollTo(cleo, "Signed statements");
  await film.take(cleo, "She takes the bundle, which verifies offline");
  await cleo.goto(period);
  await sees(cleo, "This period is locked.");
  await expect(cleo.getByRole("button", { name: "Reopen" })).toHaveCount(0);
  await film.take(cleo, "She can change nothing");

  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = counts.map(
    ({ keys, clicks }, nth) =>
      `${["Ada", "Ben", "Cleo"][nth]}: ${keys} keys, ${clicks} clicks and taps`,
  );
  test.info().annotations.push({
    type: SESSION,
    description: JSON.stringify({
      keys: counts[0]?.keys,
      clicks: counts[0]?.clicks,
      taps: counts[1]?.clicks,
      seconds,
    }),
  });
  await film.sheet(browser, `${figures.join("; ")}; ${seconds} seconds, pictures included.`);
  await pocket.close();
  await office.close();

  const { items } = await ask<{ items: { signatures: { kind: string; signed_by: string }[] }[] }>(
    month,
    "GET",
    "statements",
  );
  expect(items[0]?.signatures.map(({ kind, signed_by }) => [kind, signed_by])).toEqual([
    ["prepared", "user:ada"],
    ["reviewed", "user:ben"],
  ]);
});
