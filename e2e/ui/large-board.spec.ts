import { expect, type Page } from "@playwright/test";
import { createTenant } from "../fixtures.ts";
import { LONG_TASK_MS, trackMainThread } from "./figures.ts";
import { beSignedIn, reportMany, rowOf } from "./person.ts";
import { expectSoundEverywhere } from "./soundness.ts";
import { test } from "./test.ts";

const OPEN = 10_000;
const FRAMES = 240;
/** Rows on the screen and around it. */
const MAX_ROWS = 80;

let tenant: string;

test.beforeEach(async ({ page, context }) => {
  test.setTimeout(300_000);
  tenant = await createTenant();
  await reportMany(tenant, OPEN);
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}/exceptions`);
});

async function loadAll(page: Page): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(page.getByText("All 10,000 shown")).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 240_000, intervals: [50] });
}

test("10,000 open exceptions scroll without a long task and pass axe", async ({ page }) => {
  await loadAll(page);
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(rowOf(page, "Item 10000")).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(rowOf(page, "Item 1")).toBeVisible();

  const busyMs = await trackMainThread(page);
  const before = await busyMs();
  const { times, longest, max } = await page.evaluate(scrollDown, FRAMES);
  const busyPerFrame = ((await busyMs()) - before) / FRAMES;
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1);
  console.log(
    `10,000 open: ${busyPerFrame.toFixed(1)} ms of work a frame; frames ${at(0.5)} ms median, ` +
      `${at(0.95)} ms p95; longest task ${longest.toFixed(0)} ms; ${max} rows at most`,
  );
  expect(busyPerFrame).toBeLessThan(LONG_TASK_MS);
  expect(max).toBeLessThan(MAX_ROWS);

  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
  await expect(
    page
      .getByRole("row")
      .filter({ hasText: /Item [45]\d\d\d/ })
      .first(),
  ).toBeVisible();
  await expectSoundEverywhere(page);
});

/** Scrolls down by 300 px, a large part of a screen, in each frame. */
function scrollDown(frames: number): Promise<{ times: number[]; longest: number; max: number }> {
  return new Promise((done) => {
    const times: number[] = [];
    let [last, longest, max] = [performance.now(), 0, 0];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ entryTypes: ["longtask"] });
    requestAnimationFrame(function step(now) {
      times.push(now - last);
      last = now;
      max = Math.max(max, document.querySelectorAll("tbody tr").length);
      window.scrollBy(0, 300);
      if (times.length < frames) requestAnimationFrame(step);
      else done({ times, longest, max });
    });
  });
}
