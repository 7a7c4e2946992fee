import { expect, type Locator, type Page } from "@playwright/test";
import { tabTo } from "./person.ts";
import { settled } from "./soundness.ts";
import { test } from "./test.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

test.beforeEach(async ({ page }) => {
  expect((await page.goto("/design"))?.status()).toBe(200);
  await settled(page);
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Moves the focus to an element by Tab, and presses Enter. */
async function pressEnterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

test.describe("by keyboard,", () => {
  test("a dialog focuses its first field, traps the focus, and returns it when it closes", async ({
    page,
  }) => {
    const opener = button(page, "Dialog");
    await pressEnterOn(page, opener);
    const dialog = page.getByRole("dialog", { name: "Revoke Bank feed" });
    await expect(dialog).toHaveAccessibleDescription("The key stops working immediately.");
    await expect(dialog.getByLabel("Reason")).toBeFocused();
    const stops = new Set<string>();
    for (let stop = 0; stop < 8; stop += 1) {
      stops.add(
        await page.evaluate(
          () =>
            document.activeElement?.textContent ||
            document.activeElement?.ariaLabel ||
            document.activeElement?.tagName ||
            "",
        ),
      );
      await page.keyboard.press("Tab");
      expect(
        await page.evaluate(
          () =>
            [document.body, document.documentElement].includes(
              document.activeElement as HTMLElement,
            ) || Boolean(document.activeElement?.closest("dialog")),
        ),
      ).toBe(true);
    }
    expect([...stops]).toEqual(expect.arrayContaining(["Cancel", "Revoke key"]));
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(opener).toBeFocused();
    // The browser itself returns the focus on Escape, but not when a button closes the dialog.
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Close" }).press("Enter");
    await expect(dialog).toBeHidden();
    await expect(opener).toBeFocused();
  });

  test("a panel closes by Escape or a click outside, and returns the focus", async ({ page }) => {
    const opener = button(page, "Panel");
    const panel = page.getByRole("dialog", { name: "A panel" });
    await pressEnterOn(page, opener);
    await expect(panel).toBeVisible();
    expect(await panel.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();
    await expect(opener).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(panel).toBeVisible();
    await page.mouse.click(20, 20);
    await expect(panel).toBeHidden();
    await expect(opener).toBeFocused();
  });

  test("a side panel leaves the page usable and closes by Escape", async ({ page }) => {
    const opener = button(page, "Docked panel");
    const panel = page.getByRole("dialog", { name: "A docked panel" });
    await pressEnterOn(page, opener);
    await expect(panel).toBeVisible();
    await expect(opener).toBeFocused();
    await button(page, "Toast").click();
    await expect(page.getByText("Saved Bank feed")).toBeVisible();
    await panel.getByRole("button", { name: "Resolve" }).focus();
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();

    await page.setViewportSize({ width: 1000, height: 800 });
    await pressEnterOn(page, opener);
    await expect(panel).toBeVisible();
    expect(
      await panel.evaluate(
        (element) => element.matches(":modal") && element.contains(document.activeElement),
      ),
    ).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => panel.evaluate((element) => element.matches(":modal"))).toBe(false);
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();
  });

  test("a menu is used by arrow keys and letters, and Escape returns the focus", async ({
    page,
  }) => {
    const trigger = button(page, "Sort by");
    await tabTo(page, trigger);
    await expect(trigger).toHaveAttribute("aria-expanded", "false");
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("menuitemradio", { name: "Time left" })).toBeFocused();
    await expect(trigger).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("End");
    await expect(page.getByRole("menuitem", { name: "An action" })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("menuitemradio", { name: "Time left" })).toBeFocused();
    await page.keyboard.press("ArrowUp");
    await expect(page.getByRole("menuitem", { name: "An action" })).toBeFocused();
    await page.keyboard.press("Home");
    await page.keyboard.press("r");
    await expect(page.getByRole("menuitemradio", { name: "Risk" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(trigger).toBeFocused();
    await expect(trigger).toHaveAttribute("aria-expanded", "false");

    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("r");
    await page.keyboard.press("Enter");
    await expect(trigger).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitemradio", { name: "Risk" })).toHaveAttribute(
      "aria-checked",
      "true",
    );
    await page.keyboard.press("Tab");
    await expect(page.getByRole("menu")).toBeHidden();
  });

  test("a group of choices is one tab stop, and the arrow keys choose", async ({ page }) => {
    await tabTo(page, page.getByRole("radio", { name: "90 days" }));
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("radio", { name: "Never" })).toBeChecked();
    await page.keyboard.press("Tab");
    await expect(page.getByRole("radio", { name: "Never" })).not.toBeFocused();
    await tabTo(page, page.getByRole("radio", { name: "Active" }));
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("radio", { name: "Bin" })).toBeChecked();
  });

  test("a disclosure opens and closes", async ({ page }) => {
    const summary = page.getByText("More details");
    await pressEnterOn(page, summary);
    await expect(page.getByText("Its content loads when it opens.")).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page.getByText("Its content loads when it opens.")).toBeHidden();
  });

  test("an invalid field is marked as such, and described by its error", async ({ page }) => {
    const field = page.getByLabel("With an error");
    await tabTo(page, field);
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveAccessibleDescription(/isn't an IP address or CIDR range/);
    await expect(page.getByLabel("Required")).toHaveAccessibleDescription(
      "Select this to continue.",
    );
  });

  test("a message is announced, and can be dismissed", async ({ page }) => {
    await pressEnterOn(page, button(page, "Failure toast"));
    const message = page.getByRole("status").filter({ hasText: "Couldn't save" });
    await expect(message).toBeVisible();
    await expect(button(page, "Failure toast")).toBeFocused();
    await pressEnterOn(page, message.getByRole("button"));
    await expect(message).toBeHidden();
  });
});
