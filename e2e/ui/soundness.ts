import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** A phone's, a desk's. */
export const WIDTHS = [360, 1440];

/** `state`: what the page shows, where a test looks at it more than once. */
export async function expectAxeFindsNothing(page: Page, state?: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]),
    state,
  ).toEqual([]);
}

/** Nothing that axe finds, and no sideways scrolling at `width` px. */
export async function expectSound(page: Page, width: number, state?: string): Promise<void> {
  await expectAxeFindsNothing(page, state);
  expect(await page.evaluate(() => document.documentElement.scrollWidth), state).toBeLessThanOrEqual(width);
}

/** The page follows the system's theme without being loaded again. */
export async function expectSoundInBothThemes(page: Page, width: number): Promise<void> {
  const groundIn = async (colorScheme: "light" | "dark") => {
    await page.emulateMedia({ colorScheme });
    await expectSound(page, width, colorScheme);
    return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  };
  expect(await groundIn("light")).not.toBe(await groundIn("dark"));
}

/** What the browser's console complains of, and what the page throws, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
