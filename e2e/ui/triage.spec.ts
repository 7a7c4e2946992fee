import { expect, type Page } from "@playwright/test";
import { editing } from "#e2e/exception-statements.ts";
import { createTenant, sql } from "../fixtures.ts";
import { beSignedIn, report, rowOf } from "./person.ts";
import { PHONE } from "./soundness.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
});

async function reportTen(page: Page): Promise<void> {
  for (let nth = 1; nth <= 10; nth += 1)
    await report(tenant, { title: `Payout ${nth}`, due_in_minutes: 300 + nth });
  await page.goto(`/${tenant}/exceptions`);
  await expect(rowOf(page, "Payout 10")).toBeVisible();
}

const panel = (page: Page, nth: number) =>
  page.getByRole("dialog", { name: `Payout ${nth}`, exact: true });
const link = (page: Page, nth: number) => rowOf(page, `Payout ${nth}`).getByRole("link");

/** Status, assignee and resolution of each exception, by deadline. */
async function states(): Promise<string[]> {
  const rows = await sql<{ state: string }>(
    `select concat_ws(' ', status, assigned_to, resolution) as state from public.exceptions
     where tenant_id = $1 order by due_at`,
    [tenant],
  );
  return rows.map(({ state }) => state);
}

test("ten exceptions are triaged by keyboard alone, each action moving to the next one", async ({
  page,
}) => {
  await reportTen(page);
  await page.keyboard.press("j");
  await expect(link(page, 1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(panel(page, 1)).toBeVisible();

  // Three keys and a reason: open, R, a part of the reason, Enter.
  await page.keyboard.press("r");
  await expect(panel(page, 1).getByLabel("Resolution")).toBeFocused();
  await page.keyboard.type("tim");
  await page.keyboard.press("Enter");
  await expect(panel(page, 2)).toBeVisible();
  await page.keyboard.press("r");
  await expect(panel(page, 2).getByLabel("Resolution")).toBeFocused();
  await page.keyboard.type("The bank was closed");
  await page.keyboard.press("Enter");
  await expect(panel(page, 3)).toBeVisible();

  await page.keyboard.press("m");
  await page.keyboard.press("j");
  await expect(panel(page, 4)).toBeVisible();
  await page.keyboard.press("a");
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.type("leo");
  await page.keyboard.press("Enter");
  // Enter waits for the members while they load.
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeHidden();
  await page.keyboard.press("j");
  await expect(panel(page, 5)).toBeVisible();
  await page.keyboard.press("c");
  await expect(page.getByRole("textbox", { name: "Comment" })).toBeFocused();
  await page.keyboard.type("Asked the bank");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("textbox", { name: "Comment" })).toBeHidden();
  await expect(panel(page, 5).getByText("Asked the bank")).toBeVisible();
  await page.keyboard.press("j");
  await expect(panel(page, 6)).toBeVisible();
  await page.keyboard.press("j");
  await expect(panel(page, 7)).toBeVisible();
  await page.keyboard.press("k");
  await expect(panel(page, 6)).toBeVisible();

  for (const nth of [6, 7, 8, 9, 10]) {
    await expect(panel(page, nth)).toBeVisible();
    await page.keyboard.press("r");
    await expect(panel(page, nth).getByLabel("Resolution")).toBeFocused();
    await page.keyboard.type("Dup");
    await page.keyboard.press("Enter");
  }
  await expect(rowOf(page, "Payout 10")).toBeHidden();
  // A row disappears before its change is stored.
  await expect
    .poll(states)
    .toEqual([
      "resolved Timing difference, settles next period",
      "resolved The bank was closed",
      "open user:ada",
      "open user:leo",
      "open",
      ...Array.from({ length: 5 }, () => "resolved Duplicate of another exception"),
    ]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("keys typed 30 ms apart with the panel closed act on the row that they were typed on", async ({
  page,
}) => {
  await reportTen(page);
  await page.keyboard.type("jmjjmjrDup", { delay: 30 });
  await expect(panel(page, 4).getByLabel("Resolution")).toHaveValue("Dup");
  await page.keyboard.press("Enter");
  await expect
    .poll(states)
    .toEqual([
      "open user:ada",
      "open",
      "open user:ada",
      "resolved Duplicate of another exception",
      ...Array.from({ length: 6 }, () => "open"),
    ]);
});

test("U undoes a person's last action, but never another person's change", async ({ page }) => {
  await reportTen(page);
  const state = async () => {
    const [row] = await sql<{ state: string }>(
      `select concat_ws(' ', status, assigned_to, pause_reason) as state from public.exceptions
       where tenant_id = $1 and title = 'Payout 1'`,
      [tenant],
    );
    return row?.state;
  };
  await link(page, 1).click();
  await page.keyboard.press("m");
  await expect.poll(state).toBe("open user:ada");
  await page.keyboard.press("p");
  await page.keyboard.type("Waiting for the bank");
  await page.keyboard.press("Enter");
  await expect.poll(state).toBe("open user:ada Waiting for the bank");
  await expect(panel(page, 2)).toBeVisible();
  await page.keyboard.press("u");
  await expect.poll(state).toBe("open user:ada");
  await expect(panel(page, 1)).toBeVisible();
  await page.keyboard.press("r");
  await page.keyboard.press("Enter");
  await expect.poll(state).toBe("resolved user:ada");
  await page.keyboard.press("u");
  await expect.poll(state).toBe("open user:ada");
  await expect(rowOf(page, "Payout 1")).toBeVisible();
  // Waits until the undo has finished: before that, U would undo the same action again.
  await expect(page.getByText("Resolution undone").first()).toBeVisible();

  await sql(editing(`'assigned_to', 'user:zoe'`, `tenant_id = $1 and title = 'Payout 1'`), [
    tenant,
  ]);
  await page.keyboard.press("u");
  await expect(
    page.getByText("Someone changed it since. Nothing was undone.").first(),
  ).toBeVisible();
  expect(await state()).toBe("open user:zoe");
});

test("toasts never cover a panel's actions or a dialog's buttons, on desktop and phone", async ({
  page,
}) => {
  await reportTen(page);
  for (const size of [PHONE, { width: 1100, height: 800 }]) {
    await page.setViewportSize(size);
    await link(page, 1).click();
    const actions = panel(page, 1).getByRole("button", { name: "To me" });
    await panel(page, 1)
      .getByRole("button", { name: /^Severity/ })
      .click();
    await page.getByRole("menuitemradio", { name: size === PHONE ? "Low" : "Medium" }).click();
    const toast = page
      .getByText(/^Severity is now/)
      .filter({ visible: true })
      .last();
    await expect(toast).toBeVisible();
    // Waits until both are in their final position.
    await expect(async () => {
      const top = (await actions.boundingBox())?.y ?? 0;
      const [left, bottom] = await toast.evaluate((element) => {
        const card = element.closest(".toasts > *")?.getBoundingClientRect();
        return [card?.right ?? 0, card?.bottom ?? 0] as const;
      });
      expect(bottom <= top || left <= size.width - 416, `at ${size.width} px`).toBe(true);
    }).toPass({ timeout: 10_000 });
    await page.keyboard.press("p");
    const submit = page
      .getByRole("dialog", { name: /^Pause/ })
      .getByRole("button", { name: "Pause exception" });
    await submit.click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
});
