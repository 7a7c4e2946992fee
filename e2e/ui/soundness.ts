/** The checks of a page in any state. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";
import type { RunOptions } from "axe-core";
import { listening } from "./test.ts";

export const DESK = { width: 1440, height: 900 };
/** Half a large screen: next to the navigation, rows have the least room there. */
const LAPTOP = { width: 1100, height: 800 };
export const PHONE = { width: 360, height: 800 };

const READABLE_PX = 160;

/** Half of what the package gives as its source, for each page to parse. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const CONTRAST = "color-contrast";

/** Everything that axe checks, what a theme can break, and what a width can. */
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

/** What covers a page: a modal dialog, a menu, the list of a field; and toasts next to it. */
const ON_TOP = { covers: "dialog:modal, :popover-open", says: ".toasts:not(:empty)" };

/**
 * `state`: names the page's state if a test checks it more than once. `onTop`: checks only what
 * covers the page, if anything does; the page below is checked when nothing covers it.
 */
export async function expectAxeFindsNothing(
  page: Page,
  state?: string,
  look: keyof typeof LOOKS = "everything",
  { onTop = false } = {},
): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(
    async ([options, top]) => {
      const covered = top && document.querySelector(top.covers);
      const include = top ? [...document.querySelectorAll(`${top.covers}, ${top.says}`)] : [];
      const results = await window.axe?.run(covered ? { include } : document, options);
      return results?.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
    },
    [
      { ...LOOKS[look], resultTypes: ["violations"], preload: false } satisfies RunOptions,
      onTop ? ON_TOP : null,
    ] as const,
  );
  expect(found, state).toEqual([]);
}

/** A chart follows a new width only when it is painted again. */
export async function expectNoSidewaysScrolling(page: Page, state?: string): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow, { message: state, timeout: 2_000 }).toBeLessThanOrEqual(0);
}

/** What one types into can be read. */
async function expectRoomToType(page: Page, state?: string): Promise<void> {
  const crushed = await page.evaluate(
    (min) =>
      [...document.querySelectorAll<HTMLElement>("main input[type=search]")]
        .filter((field) => field.checkVisibility() && field.getBoundingClientRect().width < min)
        .map(
          (field) =>
            `${field.getAttribute("placeholder")}: ${field.getBoundingClientRect().width} px`,
        ),
    READABLE_PX,
  );
  expect(crushed, state).toEqual([]);
}

/**
 * All checks, from the page's present state: on a desk in light everything that axe knows, in dark
 * the contrast, on a phone the structure, and the width on all of them and on a laptop. `shown`:
 * called at each stop, in this order. `onPhone`: what a phone needs first. `onTop`: axe checks only
 * what covers the page.
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
  const ground = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await expectSoundOnDesk(page, { onTop });
  const light = await ground();
  await shown?.("light", DESK.width);
  // The page follows the system's theme without being loaded again.
  await paint(page, "dark");
  expect(await ground(), "the ground in dark").not.toBe(light);
  await expectAxeFindsNothing(page, "dark", "contrast", { onTop });
  await shown?.("dark", DESK.width);
  await page.setViewportSize(LAPTOP);
  await expectNoSidewaysScrolling(page, "on a laptop");
  await expectRoomToType(page, "on a laptop");
  await page.setViewportSize(PHONE);
  await onPhone?.();
  await paint(page, "dark");
  await expectAxeFindsNothing(page, "on a phone", "structure", { onTop });
  await expectNoSidewaysScrolling(page, "on a phone");
  await shown?.("dark", PHONE.width);
  if (!shown) return;
  await paint(page, "light");
  await shown("light", PHONE.width);
}

/** The least of it: on a desk in light. */
export async function expectSoundOnDesk(
  page: Page,
  { onTop }: { onTop?: boolean } = {},
): Promise<void> {
  await page.setViewportSize(DESK);
  await paint(page, "light");
  await expectAxeFindsNothing(page, "light, on a desk", "everything", { onTop });
  await expectNoSidewaysScrolling(page, "on a desk");
}

export type Theme = "light" | "dark";

/**
 * Colours fade, also for who wants no motion. Nothing fades here: a thousand transitions cost more
 * than all that axe does.
 */
async function paint(page: Page, colorScheme: Theme): Promise<void> {
  await page.evaluate(() => {
    if (document.adoptedStyleSheets.length > 0) return;
    const still = new CSSStyleSheet();
    still.replaceSync("*, ::before, ::after, ::backdrop { transition: none !important }");
    document.adoptedStyleSheets.push(still);
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
  await listening(page);
  await expect(page.locator("[role=status][aria-label^=Loading]")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/** What the browser's console complains of, and what the page throws, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
