import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  test as plain,
} from "@playwright/test";

/**
 * Playwright's test, with pages that are ready when they have been opened: input before React is
 * ready would be lost.
 */
export const test = plain.extend({
  context: async (
    { context }: { context: BrowserContext },
    use: (context: BrowserContext) => Promise<void>,
  ) => {
    context.on("page", readyWhenOpened);
    await use(context);
  },
});

/** A browser context for another person, whose pages are also ready when opened. */
export async function anotherContext(
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.on("page", readyWhenOpened);
  return context;
}

/** Waits for a page that loads by itself, as after signing in. */
export async function waitForLoad(page: Page): Promise<void> {
  await page.waitForLoadState();
  await waitForHydration(page);
}

function readyWhenOpened(page: Page): void {
  const { goto, reload } = { goto: page.goto.bind(page), reload: page.reload.bind(page) };
  page.goto = async (...args) => {
    const answer = await goto(...args);
    await waitForHydration(page);
    return answer;
  };
  page.reload = async (...args) => {
    const answer = await reload(...args);
    await waitForHydration(page);
    return answer;
  };
}

/**
 * Waits until React has attached its properties to each interactive element. Polls by the clock,
 * because a browser may draw no frame while nothing changes.
 */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll("button, input, select, textarea, a[href]")].every((element) =>
        Object.keys(element).some((key) => key.startsWith("__reactProps$")),
      ),
    undefined,
    { polling: 50 },
  );
}
