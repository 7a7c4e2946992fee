import { expect } from "@playwright/test";
import { api, enrol, PASSWORD, uniqueName } from "../../fixtures.ts";
import { rowOf, tabTo } from "../person.ts";
import { dialog, shownCredential, test } from "./admin.ts";

test("by keyboard alone: sign in, create, store the secret, rotate and revoke", async ({
  page,
  context,
  admin,
}) => {
  test.slow();
  await context.clearCookies();
  const { email } = await enrol({ [admin.tenant]: ["tenant_admin"] });
  const name = uniqueName("Keyboard");
  const { keyboard } = page;
  await page.goto(`/${admin.tenant}/api-keys`);
  await tabTo(page, page.getByLabel("Email"));
  await keyboard.type(email);
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await expect(page).toHaveURL(`/${admin.tenant}/api-keys`);

  const create = page.getByRole("button", { name: "Create key" });
  await tabTo(page, create);
  await keyboard.press("Enter");
  await expect(dialog(page).getByLabel("Name")).toBeFocused();
  await keyboard.type(name);
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await keyboard.press("Enter");
  const credential = await shownCredential(page);
  await expect(dialog(page).getByRole("button", { name: "Copy the credential" })).toBeFocused();
  await keyboard.press("Enter");
  await expect(dialog(page).getByText("You can close this now")).toBeVisible();
  await keyboard.press("Escape");
  // The first key replaces the empty list, and with it the button that opened the dialog.
  await expect(rowOf(page, name)).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
  expect(
    (await api("GET", "/v1/reconciliations", { bearer: credential, tenant: admin.tenant })).status,
  ).toBe(200);

  await tabTo(page, rowOf(page, name).getByRole("link"));
  await keyboard.press("Enter");
  const panel = page.getByRole("dialog", { name });
  await tabTo(page, panel.getByRole("button", { name: "Rotate" }));
  await keyboard.press("Enter");
  await expect(dialog(page).getByRole("radio", { name: "24 h" })).toBeFocused();
  await keyboard.press("ArrowLeft");
  await expect(dialog(page).getByRole("radio", { name: "1 h" })).toBeChecked();
  await keyboard.press("Enter");
  await shownCredential(page);
  // The panel has learned that the key is rotating, so the button that had the focus disappears.
  await expect(panel.locator("button", { hasText: "Rotate" })).toHaveCount(0);
  await tabTo(page, dialog(page).getByRole("checkbox", { name: "I've stored it" }));
  await keyboard.press("Space");
  await keyboard.press("Escape");
  await expect(panel.getByText("Rotating")).toBeVisible();
  await expect
    .poll(() =>
      page.evaluate(() => document.activeElement?.closest("dialog")?.getAttribute("aria-label")),
    )
    .toBe(name);

  // The dialog asks for the name once the call is counted.
  await expect(panel).toContainText("1 accepted since it was created", { timeout: 15_000 });
  await tabTo(page, panel.getByRole("button", { name: "Revoke" }));
  await keyboard.press("Enter");
  await expect(dialog(page).getByLabel(/^Type/)).toBeFocused();
  await keyboard.type(name);
  await keyboard.press("Tab");
  await keyboard.type("by ada: Tried out.");
  await tabTo(page, dialog(page).getByRole("button", { name: "Revoke key" }));
  await keyboard.press("Enter");
  await expect(page.getByRole("status").getByText(`Revoked ${name}`)).toBeVisible();
  await expect(panel).toContainText("by ada: Tried out.");
  expect(
    (await api("GET", "/v1/reconciliations", { bearer: credential, tenant: admin.tenant })).status,
  ).toBe(401);
  await keyboard.press("Escape");
  await expect(panel).toBeHidden();
});
