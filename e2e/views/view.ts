/** A view, and the steps that lead to it. */
import type { BrowserContext, Locator, Page } from "@playwright/test";
import type { Role } from "#lib/wire/access.ts";

export type Step = (page: Page, context: BrowserContext) => Promise<unknown>;

export type View = {
  name: string;
  /**
   * `acme` has the demonstration's data, `:world` a past with webhooks and keys of each kind
   * (world.sql), `:empty` nothing. All three are only read.
   */
  path: string;
  /**
   * The role of the visitor; `none` is a member without a role, `stranger` a member of no tenant.
   * Omitted: nobody is signed in.
   */
  role?: Role | "none" | "stranger";
  /** Before the page is opened. */
  begin?: Step;
  /** What the page is brought to, after it was opened. */
  arrange?: Step;
  /** The steps at a phone's width, if they differ. */
  arrangeOnPhone?: Step;
  /** Opened at a phone's width from the first. */
  phone?: true;
  /** It changes something, or ends the session, so it has its own context and tenants. */
  alone?: true;
  /** Kilobytes of script that it may load, if more than the common budget. */
  script_max_kb?: number;
  /** Statuses that the view causes, or failed requests, which the browser's console reports. */
  answers?: readonly Answered[];
};

export type Answered = number | "offline";

export const dialog = (page: Page): Locator => page.getByRole("dialog").last();

/** The first one that is seen. */
export const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("button", { name }).filter({ visible: true }).first();

export const press =
  (...names: (string | RegExp)[]): Step =>
  async (page) => {
    for (const name of names) await button(page, name).click();
  };

export const pressInDialog =
  (...names: (string | RegExp)[]): Step =>
  async (page) => {
    for (const name of names)
      await dialog(page)
        .getByRole("button", { name, exact: typeof name === "string" })
        .click();
  };

/** Waits until this text is read. */
export const says =
  (text: string | RegExp): Step =>
  (page) =>
    page.getByText(text).filter({ visible: true }).first().waitFor();

export const inTurn =
  (...steps: Step[]): Step =>
  async (page, context) => {
    for (const step of steps) await step(page, context);
  };

/** Opens a row by its link; what opens is a panel. */
export const open =
  (name?: string | RegExp): Step =>
  async (page) => {
    await page
      .getByRole("row")
      .getByRole("link", name === undefined ? {} : { name })
      .first()
      .click();
    await dialog(page).getByRole("heading").first().waitFor();
  };

/** Opens a row by its link; what opens is a page at an address like this. */
export const goTo =
  (name: string | RegExp, url: RegExp): Step =>
  async (page) => {
    await page.getByRole("row").getByRole("link", { name }).first().click();
    await page.waitForURL(url);
  };

/** Presses Escape, which closes the top overlay. */
export const closeTop: Step = (page) => page.keyboard.press("Escape");

/** Every call of /v1 from now on is answered with this problem, or those of some paths. */
export const answersWith =
  (status: number, code: string, detail: string, paths = /^\/v1\//): Step =>
  (page) =>
    page.route(
      (url) => paths.test(url.pathname),
      (route) =>
        route.fulfill({
          status,
          contentType: "application/problem+json",
          json: { code, status, detail, request_id: "req_2f1c0d9be7a84c5f9a3e6b7d8c9f0a10" },
        }),
    );

export const openNavigation: Step = async (page) => {
  const opener = page.getByRole("button", { name: "Open navigation" });
  if (await opener.isVisible()) await opener.click();
};
