/** What is looked at in a page, wherever one is in it. */
import { expect, type Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 360, height: 800 };

const CONTRAST = "color-contrast";

/** All that axe looks for, what a theme can spoil, and what a width can. */
const LOOKS = {
  everything: {},
  contrast: { runOnly: { type: "rule", values: [CONTRAST] } },
  structure: { rules: { [CONTRAST]: { enabled: false } } },
} satisfies Record<string, RunOptions>;

declare global {
  interface Window {
    axe?: typeof axe;
  }
}

/** `state`: what the page shows, where a test looks at it more than once. */
export async function expectAxeFindsNothing(page: Page, state?: string, look: keyof typeof LOOKS = "everything"): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    async (options) => {
      const results = await window.axe?.run(document, options);
      return results?.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
    },
    { ...LOOKS[look], resultTypes: ["violations"], preload: false } satisfies RunOptions,
  );
  expect(found, state).toEqual([]);
}

export async function expectNoSidewaysScrolling(page: Page, state?: string): Promise<void> {
  const { wide, width } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, width: window.innerWidth }));
  expect(wide, state).toBeLessThanOrEqual(width);
}

/**
 * One look at everything, from wherever the page is: on a desk in light all that axe knows, in dark the contrast, on a phone
 * the structure and the width. `shown`: called at each stop, in this order. `onPhone`: what a phone needs first.
 */
export async function expectSoundEverywhere(
  page: Page,
  { onPhone, shown }: { onPhone?: () => Promise<unknown>; shown?: (theme: Theme, width: number) => Promise<void> } = {},
): Promise<void> {
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.setViewportSize(DESK);
  await paint(page, "light");
  await expectAxeFindsNothing(page, "light, on a desk");
  await expectNoSidewaysScrolling(page, "on a desk");
  const light = await ground();
  await shown?.("light", DESK.width);
  // The page follows the system's theme without being loaded again.
  await paint(page, "dark");
  expect(await ground(), "the ground in dark").not.toBe(light);
  await expectAxeFindsNothing(page, "dark", "contrast");
  await shown?.("dark", DESK.width);
  await page.setViewportSize(PHONE);
  await onPhone?.();
  await paint(page, "dark");
  await expectAxeFindsNothing(page, "on a phone", "structure");
  await expectNoSidewaysScrolling(page, "on a phone");
  await shown?.("dark", PHONE.width);
  if (!shown) return;
  await paint(page, "light");
  await shown("light", PHONE.width);
}

export type Theme = "light" | "dark";

/** Colours fade, also for who wants no motion: for a frame. */
async function paint(page: Page, colorScheme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.evaluate(async (scheme) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const isMoving = () => document.getAnimations().some(({ playState }) => playState === "running");
    do await frame();
    while (isMoving() || !matchMedia(`(prefers-color-scheme: ${scheme})`).matches);
    await frame();
  }, colorScheme);
}

/** Waits until a page has what it loads at first, and listens. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const controls = [...document.querySelectorAll("button, input, textarea, select")];
    const listens = controls.every((control) => Object.keys(control).some((key) => key.startsWith("__reactProps")));
    return listens && !document.querySelector("[role=status][aria-label^=Loading]");
  });
  await page.evaluate(() => document.fonts.ready);
}

/** What the browser's console complains of, and what the page throws, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
