import { expect, test } from "@playwright/test";
import { complaintsOf, expectAxeFindsNothing } from "./soundness.ts";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1440]) {
    test(`the design page, ${colorScheme}, ${width} px: every primitive in each state, nothing that axe finds, and a picture of it`, async ({
      page,
    }, info) => {
      const complaints = complaintsOf(page);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect((await page.goto("/design"))?.status()).toBe(200);
      await expect(page.getByRole("img", { name: /Deuteranopia$/ })).toHaveCount(8);
      const clean = async (what: string) => {
        await expectAxeFindsNothing(page, what);
        await info.attach(`${what}-${colorScheme}-${width}`, {
          body: await page.screenshot({ fullPage: what === "page" }),
          contentType: "image/png",
        });
      };
      await clean("page");
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);

      await page.getByRole("button", { name: "Dialog" }).click();
      await clean("dialog");
      await page.keyboard.press("Escape");
      await expect(page.getByRole("button", { name: "Dialog" })).toBeFocused();
      await page.getByRole("button", { name: "Panel" }).click();
      await clean("panel");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Failure toast" }).click();
      await page.getByRole("button", { name: "Sort by" }).click();
      await clean("message-and-menu");
      expect(complaints).toEqual([]);
    });
  }
}
