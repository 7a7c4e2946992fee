import { expect, type Page } from "@playwright/test";
import { Fixture, line } from "../api/matching/matching-fixture.ts";
import { LONG_TASK_MS, trackMainThread } from "./figures.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

const OPEN = 2000;
/** The maximum number of lines in one call. */
const BATCH = 500;
const FRAMES = 120;
/** Rows of a side, on the screen and around it. */
const MAX_ROWS = 40;

const FIRST = { counterparty: "Aurora", value_date: "2026-10-01" };

const pane = (page: Page, name: string) => page.getByRole("listbox", { name });
const rows = (page: Page, name: string) => pane(page, name).getByRole("option");

test("thousands of lines scroll without long tasks and with few DOM nodes", async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  const fixture = await Fixture.create();
  for (let from = 0; from < OPEN; from += BATCH)
    for (const side of ["left", "right"] as const)
      await fixture.add(
        side,
        Array.from({ length: BATCH }, (_, n) =>
          line(`${side}-${from + n}`, 1000 + from + n, from + n === 0 ? FIRST : {}),
        ),
      );
  await beSignedIn(context, { [fixture.tenant]: ["tenant_lead"] });
  await page.goto(`/${fixture.tenant}/reconciliations/${fixture.period}/workbench`);
  await expect(pane(page, "Bank")).toBeFocused();
  expect(await rows(page, "Bank").count()).toBeLessThan(MAX_ROWS);

  const busyMs = await trackMainThread(page);
  const before = await busyMs();
  const max = await pane(page, "Bank").evaluate(scrollDown, FRAMES);
  expect(max).toBeLessThan(MAX_ROWS);
  expect(((await busyMs()) - before) / FRAMES).toBeLessThan(LONG_TASK_MS);
  await expect(rows(page, "Bank").filter({ hasText: "Aurora" })).toHaveCount(0);

  await pane(page, "Bank").evaluate((box) => box.scrollTo(0, 0));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/v1\/reconciliations\/[^/]+\/matches$/, (route) =>
    route.request().method() === "POST" ? released.then(() => route.continue()) : route.continue(),
  );
  for (const side of ["Bank", "Ledger"]) {
    const first = rows(page, side).filter({ hasText: "Aurora" });
    await first.click();
    await page.keyboard.press("x");
    await expect(first).toHaveAttribute("aria-selected", "true");
  }
  await page.keyboard.press("Enter");
  for (const side of ["Bank", "Ledger"])
    await expect(rows(page, side).filter({ hasText: "Aurora" })).toBeHidden();
  release();
  await expect(page.getByText(/^Matched 2 lines/)).toBeVisible();
});

/** Scrolls down by 300 px in each frame. @returns the largest number of rows in the DOM. */
function scrollDown(box: HTMLElement, frames: number): Promise<number> {
  return new Promise((done) => {
    let [max, left] = [0, frames];
    requestAnimationFrame(function step() {
      max = Math.max(max, box.querySelectorAll("[role=option]").length);
      box.scrollBy(0, 300);
      left -= 1;
      if (left > 0) requestAnimationFrame(step);
      else done(max);
    });
  });
}
