import { expect, type Locator } from "@playwright/test";
import { enrol, PASSWORD, uniqueName } from "../../fixtures.ts";
import { rowOf, tabTo } from "../person.ts";
import { copiedText, dialog, panelOf, test } from "./hooks.ts";

test("by keyboard alone: sign in, register, send a test, read it, rotate, disable and delete", async ({
  page,
  context,
  hooks,
}) => {
  test.setTimeout(120_000);
  await context.clearCookies();
  const { name, email } = await enrol({ [hooks.subscriber.tenant]: ["tenant_admin"] });
  const { keyboard } = page;
  const path = `/${uniqueName("hook")}`;
  const press = async (target: Locator, key = "Enter") => {
    await tabTo(page, target);
    await keyboard.press(key);
  };
  const pick = async (action: string) => {
    await press(page.getByRole("button", { name: "More actions" }));
    await expect(page.getByRole("menuitem").first()).toBeFocused();
    const names = await page.getByRole("menuitem").allTextContents();
    for (let down = names.indexOf(action); down > 0; down -= 1) await keyboard.press("ArrowDown");
    await expect(page.getByRole("menuitem", { name: action })).toBeFocused();
    await keyboard.press("Enter");
  };
  await page.goto(hooks.list);
  await tabTo(page, page.getByLabel("Email"));
  await keyboard.type(email);
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await expect(page).toHaveURL(hooks.list);

  await press(page.getByRole("button", { name: "Register webhook" }));
  await expect(dialog(page).getByLabel("URL")).toBeFocused();
  await keyboard.type(hooks.receiver.url(path));
  await press(dialog(page).getByRole("checkbox", { name: "exception.created" }), "Space");
  await press(dialog(page).getByRole("button", { name: "Copy the secret" }));
  const secret = await copiedText(page);
  await hooks.receiver.behave(path, { secrets: [secret], strict: true });
  await press(dialog(page).getByRole("button", { name: "Register webhook" }));
  await press(page.getByRole("button", { name: "Send a test event" }));
  const panel = panelOf(page, "webhook.test");
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  expect((await hooks.receiver.gets(path, 1))[0]?.verified).toEqual([secret]);
  await press(panel.getByText("Response", { exact: true }));
  await tabTo(page, panel.getByRole("region", { name: "Response body" }));
  await tabTo(page, panel.getByRole("region", { name: "Payload" }));
  await keyboard.press("Escape");
  await expect(panel).toBeHidden();

  await press(rowOf(page, "webhook.test").getByRole("link"));
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  await keyboard.press("Escape");
  await expect(rowOf(page, "webhook.test").getByRole("link")).toBeFocused();

  await pick("Rotate signing secret");
  await press(dialog(page).getByLabel("I've stored it"), "Space");
  await keyboard.press("Tab");
  await expect(dialog(page).getByRole("radio", { name: "24 h" })).toBeFocused();
  await keyboard.press("ArrowRight");
  await keyboard.press("Enter");
  await expect(page.getByText(/^Two secrets sign until .* \(in 6 d 23 h/)).toBeVisible();
  await expect(page.getByRole("button", { name: "More actions" })).toBeFocused();

  await pick("Disable");
  await expect(dialog(page).getByLabel("Reason")).toBeFocused();
  await press(dialog(page).getByRole("button", { name: "Disable webhook" }));
  await expect(page.getByText(new RegExp(`^Disabled .* by ${name}\\.`))).toBeVisible();
  await press(page.getByRole("button", { name: "Enable" }));
  await press(dialog(page).getByRole("button", { name: "Enable webhook" }));
  await expect(page.getByText(new RegExp(`^Disabled .* by ${name}\\.`))).toBeHidden();
  await pick("Delete");
  await press(dialog(page).getByRole("button", { name: "Delete webhook" }));
  await expect(page).toHaveURL(hooks.list);
  await expect(page.getByRole("link", { name: hooks.receiver.url(path) })).toBeHidden();
});
