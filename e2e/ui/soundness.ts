/** Checks of a page in any state: accessibility, widths and the console. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";
import type { RunOptions } from "axe-core";
import { waitForHydration } from "./test.ts";

export const DESK = { width: 1440, height: 900 };
/** Half of a large screen, where rows next to the navigation have the least room. */
const LAPTOP = { width: 1100, height: 800 };
export const PHONE = { width: 360, height: 800 };

const MIN_FIELD_PX = 160;

/** The minified build: pages parse half as much as with the package's `source`. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const CONTRAST = "color-contrast";

/** All of axe's rules, only those that a theme can break, and only those that a width can. */
const RULE_SETS = {
  everything: {},
  contrast: { runOnly: { type: "rule", values: [CONTRAST] } },
  structure: { rules: { [CONTRAST]: { enabled: false } } },
} satisfies Record<string, RunOptions>;

declare global {
  interface Window {
    axe?: typeof axe;
  }
}

/** Selectors of what covers a page (a modal dialog, a menu, a list of options) and of toasts. */
const ON_TOP = { overlays: "dialog:modal, :popover-open", toasts: ".toasts:not(:empty)" };

/**
 * `state`: names the page's state if a test checks it more than once. `onTop`: checks only what
 * covers the page, if anything does; the page below is checked when nothing covers it.
 */
export async function expectAxeFindsNothing(
  page: Page,
  state?: string,
  ruleSet: keyof typeof RULE_SETS = "everything",
  { onTop = false } = {},
): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(
    async ([options, top]) => {
      const covered = top && document.querySelector(top.overlays);
      const include = top ? [...document.querySelectorAll(`${top.overlays}, ${top.toasts}`)] : [];
      const results = await window.axe?.run(covered ? { include } : document, options);
      return results?.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
    },
    [
      { ...RULE_SETS[ruleSet], resultTypes: ["violations"], preload: false } satisfies RunOptions,
      onTop ? ON_TOP : null,
    ] as const,
  );
  expect(found, state).toEqual([]);
}

/** Polls, because a chart adapts to a new width only when it is painted again. */
export async function expectNoSidewaysScrolling(page: Page, state?: string): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow, { message: state, timeout: 2_000 }).toBeLessThanOrEqual(0);
}

/** Visible search fields are wide enough to read what is typed. */
async function expectRoomToType(page: Page, state?: string): Promise<void> {
  const tooNarrow = await page.evaluate(
    (min) =>
      [...document.querySelectorAll<HTMLElement>("main input[type=search]")]
        .filter((field) => field.checkVisibility() && field.getBoundingClientRect().width < min)
        .map(
          (field) =>
            `${field.getAttribute("placeholder")}: ${field.getBoundingClientRect().width} px`,
        ),
    MIN_FIELD_PX,
  );
  expect(tooNarrow, state).toEqual([]);
}

/**
 * Runs all checks from the page's current state: every axe rule on a desk in light, contrast in
 * dark, structure on a phone, and no sideways scrolling on a desk, a laptop and a phone. `shown` is
 * called with each theme and width in turn, `onPhone` before the checks on a phone. `onTop`: axe
 * checks only what covers the page.
 */
export async function expectSoundEverywhere(
  page: Page,
  {
    onPhone,
    shown,
    onTop,
  }: {
    onPhone?: () => Promise<unknown>;
    shown?: (theme: Theme, width: number) => Promise<void>;
    onTop?: boolean;
  } = {},
): Promise<void> {
  const background = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await expectSoundOnDesk(page, { onTop });
  const light = await background();
  await shown?.("light", DESK.width);
  // The page follows the system's theme without being loaded again.
  await setColorScheme(page, "dark");
  expect(await background(), "the background in dark").not.toBe(light);
  await expectAxeFindsNothing(page, "dark", "contrast", { onTop });
  await shown?.("dark", DESK.width);
  await page.setViewportSize(LAPTOP);
  await expectNoSidewaysScrolling(page, "on a laptop");
  await expectRoomToType(page, "on a laptop");
  await page.setViewportSize(PHONE);
  await onPhone?.();
  await setColorScheme(page, "dark");
  await expectAxeFindsNothing(page, "on a phone", "structure", { onTop });
  await expectNoSidewaysScrolling(page, "on a phone");
  await shown?.("dark", PHONE.width);
  if (!shown) return;
  await setColorScheme(page, "light");
  await shown("light", PHONE.width);
}

/** Runs only the checks on a desk in light. */
export async function expectSoundOnDesk(
  page: Page,
  { onTop }: { onTop?: boolean } = {},
): Promise<void> {
  await page.setViewportSize(DESK);
  await setColorScheme(page, "light");
  await expectAxeFindsNothing(page, "light, on a desk", "everything", { onTop });
  await expectNoSidewaysScrolling(page, "on a desk");
}

export type Theme = "light" | "dark";

/**
 * Switches the color scheme without transitions, which also run with reduced motion: a thousand of
 * them take longer than all of axe's checks.
 */
async function setColorScheme(page: Page, colorScheme: Theme): Promise<void> {
  await page.evaluate(() => {
    if (document.adoptedStyleSheets.length > 0) return;
    const noTransitions = new CSSStyleSheet();
    noTransitions.replaceSync("*, ::before, ::after, ::backdrop { transition: none !important }");
    document.adoptedStyleSheets.push(noTransitions);
  });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.evaluate(async (scheme) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const moving = () =>
      document.getAnimations().filter(({ playState }) => playState === "running");
    do {
      await frame();
      for (const animation of moving()) if (animation instanceof CSSTransition) animation.finish();
    } while (moving().length > 0 || !matchMedia(`(prefers-color-scheme: ${scheme})`).matches);
    await frame();
  }, colorScheme);
}

/** Waits until a page has loaded its first data, and reacts to input. */
export async function settled(page: Page): Promise<void> {
  await waitForHydration(page);
  await expect(page.locator("[role=status][aria-label^=Loading]")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/** Collects errors in the browser's console and errors that the page throws, from now on. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  return errors;
}
