/** A tenant's admin in the browser, and what they do with its API keys. */
import { expect, type Locator, type Page } from "@playwright/test";
import { tenantWithAdmin } from "../../api/api-keys/keys.ts";
import { beSignedIn, rowOf } from "../person.ts";
import { test as plain } from "../test.ts";

type Admin = Awaited<ReturnType<typeof tenantWithAdmin>>;

export const test = plain.extend<{ admin: Admin }>({
  admin: [
    async ({ context }, use) => {
      const admin = await tenantWithAdmin();
      await beSignedIn(context, { [admin.tenant]: ["tenant_admin"] });
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await use(admin);
    },
    { auto: true },
  ],
});

export function dialog(page: Page): Locator {
  return page.getByRole("dialog").last();
}

/** Fills in and sends the form of a new key; its secret is then on the screen. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole("button", { name: "Create key" }).first().click();
  await dialog(page).getByLabel("Name").fill(name);
  await dialog(page).getByRole("checkbox", { name: "read reconciliations" }).check();
  await dialog(page).getByRole("button", { name: "Create key" }).click();
  return shownCredential(page);
}

export async function shownCredential(page: Page): Promise<string> {
  const shown = dialog(page).getByText(/^tk_\w+\.tks_\w+$/);
  await expect(shown).toBeVisible();
  return (await shown.textContent()) ?? "";
}

export function copiedText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

export async function openPanel(page: Page, name: string): Promise<Locator> {
  await rowOf(page, name).getByRole("link").click();
  const panel = page.getByRole("dialog", { name });
  await expect(panel.getByRole("heading", { name: "Usage" })).toBeVisible();
  return panel;
}
