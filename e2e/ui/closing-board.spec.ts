import { expect, type Page } from "@playwright/test";
import { monthAfter } from "#components/ui/days.ts";
import type { BoardPair } from "#lib/matching/closing-board/contract.ts";
import { longMonth } from "#lib/wire/period-name.ts";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { expectAxeFindsNothing } from "./soundness.ts";
import { test } from "./test.ts";

const THIS_MONTH = new Date().toISOString().slice(0, 7);
const LAST_MONTH = monthAfter(THIS_MONTH, -1);

const nameOf = (sources: string, month: string) =>
  `${sources}, ${longMonth(month)} ${month.slice(0, 4)}`;

/** Two pairs of sources, each with a period of last month. */
async function twoPairs(): Promise<{ tenant: string; periods: () => Promise<number[]> }> {
  const tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_lead"], "robot");
  const call = async <Body>(method: string, path: string, body?: object) => {
    const { status, text, json } = await api(method, `/v1/${path}`, { bearer, tenant, body });
    expect([200, 201], text).toContain(status);
    return json as Body;
  };
  const source = async (name: string) =>
    (await call<{ id: string }>("POST", "sources", { name, kind: "ledger", currency: "EUR" })).id;
  const lastDay = new Date(Date.parse(`${THIS_MONTH}-01`) - 86_400_000).toISOString().slice(0, 10);
  for (const name of ["Giro", "Cards"])
    await call("POST", "reconciliations", {
      name: nameOf(name, LAST_MONTH),
      period_start: `${LAST_MONTH}-01`,
      period_end: lastDay,
      left_source_id: await source(name),
      right_source_id: await source(`${name} ledger`),
      auto_run: false,
    });
  const board = `closing-board?from=${LAST_MONTH}&to=${THIS_MONTH}`;
  const periods = async () =>
    (await call<{ items: BoardPair[] }>("GET", board)).items.map(
      ({ periods: { length } }) => length,
    );
  return { tenant, periods };
}

const cell = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(name) });

test("the next periods of all pairs are previewed before they are opened", async ({
  page,
  context,
}) => {
  const { tenant, periods } = await twoPairs();
  await beSignedIn(context, { [tenant]: ["tenant_lead"] });
  await page.goto(`/${tenant}/closing-board`);
  await expect(cell(page, nameOf("Giro", LAST_MONTH))).toBeVisible();
  await expect(cell(page, nameOf("Cards", LAST_MONTH))).toBeVisible();

  await page.getByRole("button", { name: "Open next period" }).click();
  const dialog = page.getByRole("dialog", { name: "Open next period" });
  const opens = dialog.getByRole("region", { name: "What opens" }).getByRole("listitem");
  await expect(opens).toHaveText([
    new RegExp(`^${nameOf("Giro", THIS_MONTH)}`),
    new RegExp(`^${nameOf("Cards", THIS_MONTH)}`),
  ]);
  await expectAxeFindsNothing(page);
  await dialog.getByLabel("Sources").selectOption({ label: "Cards ↔ Cards ledger" });
  await expect(opens).toHaveCount(1);
  await expect(dialog.getByRole("button", { name: "Open 1 period" })).toBeEnabled();
  await dialog.getByLabel("Sources").selectOption({ label: "All pairs" });
  await expect(opens).toHaveCount(2);
  expect(await periods(), "the preview opens nothing").toEqual([1, 1]);

  await dialog.getByRole("button", { name: "Open 2 periods" }).click();
  await expect(page.getByText("Opened 2 periods")).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(cell(page, nameOf("Giro", THIS_MONTH))).toBeVisible();
  await expect(cell(page, nameOf("Cards", THIS_MONTH))).toBeVisible();
  expect(await periods()).toEqual([2, 2]);

  await page.getByRole("button", { name: "Open next period" }).click();
  await expect(dialog.getByText(/^Nothing to open/)).toBeVisible();
  await expect(dialog.getByText("2 pairs already have a period up to this month.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("an analyst sees the month, but can't open a period", async ({ page, context }) => {
  const { tenant } = await twoPairs();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/closing-board?next=true`);
  await expect(cell(page, nameOf("Giro", LAST_MONTH))).toBeVisible();
  await expect(page.getByRole("button", { name: "Open next period" })).toBeHidden();
  await expect(page.getByRole("dialog")).toBeHidden();
});
