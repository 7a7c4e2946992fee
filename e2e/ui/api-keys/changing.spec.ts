import { expect } from "@playwright/test";
import { codeOf } from "../../api/api-keys/keys.ts";
import { until } from "../../until.ts";
import { rowOf } from "../person.ts";
import { dialog, openPanel, shownCredential, test } from "./admin.ts";

test("a rotation shows both keys, the time left, and who still uses the old one", async ({
  page,
  admin,
}) => {
  const old = await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");
  await panel.getByRole("button", { name: "Rotate" }).click();
  await expect(dialog(page).getByRole("radio", { name: "24 h" })).toBeChecked();
  await dialog(page).getByText("1 h", { exact: true }).click();
  await dialog(page).getByRole("button", { name: "Rotate key" }).click();
  await expect(page.getByRole("dialog", { name: "Bank feed rotated" })).toBeVisible();
  const successor = await shownCredential(page);
  await dialog(page).getByRole("button", { name: "Copy the credential" }).click();
  await expect(dialog(page).getByText("You can close this now")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Done" }).click();

  const rotation = panel.getByRole("region", { name: "Rotation" });
  await expect(rotation).toContainText(/Expires in (59 min|1 h)/);
  await expect(rotation).toContainText("The old key hasn't been used since the rotation.");
  await expect(rotation).toContainText("Waiting for the first call…");
  await expect(panel.getByText("Rotating")).toBeVisible();
  await expect(panel.getByRole("button", { name: "Rotate" })).toBeHidden();
  expect((await admin.use(old.credential)).status).toBe(200);
  expect((await admin.use(successor)).status).toBe(200);
  await expect(
    rotation.getByRole("row", { name: /(127\.0\.0\.1|::1) 1 call just now/ }),
  ).toBeVisible();

  await rotation.getByRole("button", { name: "Open the new key" }).click();
  await expect(panel.getByText("Active")).toBeVisible();
  await expect(rotation).toContainText(/Old key.*Expires in/s);
  await panel.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("row").filter({ hasText: "Bank feed" })).toHaveCount(2);
  await expect(page.getByRole("row").filter({ hasText: "Rotating" })).toContainText(
    /Expires in 59 min/,
  );
});

test("revoking a key in use asks for its name, shows the impact, and takes effect at once", async ({
  page,
  admin,
}) => {
  const key = await admin.create({
    name: "Bank feed",
    scopes: ["read:exceptions", "write:exceptions"],
  });
  await Promise.all([1, 2, 3].map(() => admin.use(key.credential)));
  await until("the calls are counted", async () => (await admin.get(key.id)).request_count === 3);
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");
  await panel.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog(page)).toContainText("3 calls used this key in the last 7 days.");
  await expect(dialog(page).getByRole("row", { name: "listExceptions 3" })).toBeVisible();

  await dialog(page).getByRole("button", { name: "Revoke key" }).click();
  await expect(dialog(page).getByText("That doesn't match the key's name.")).toBeVisible();
  await expect(dialog(page).getByText("Enter a reason.")).toBeVisible();
  expect((await admin.use(key.credential)).status).toBe(200);

  await dialog(page).getByLabel("Type Bank feed to confirm").fill("Bank feed");
  await dialog(page).getByLabel("Reason").fill("Leaked in a log.");
  await dialog(page).getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("status").getByText("Revoked Bank feed")).toBeVisible();
  expect((await admin.use(key.credential)).status).toBe(401);
  await expect(panel).toContainText(/Revoked .* by ada: Leaked in a log\./);
  await expect(panel.getByRole("heading", { name: "Bank feed" })).toBeFocused();
  await expect(panel.getByText("Key revoked")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "Bank feed").getByRole("link")).toBeFocused();
  await expect(rowOf(page, "Bank feed").getByText("Revoked").first()).toBeVisible();
});

test("a dialog stays above its panel when the window narrows", async ({ page, admin }) => {
  await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");
  await panel.getByRole("button", { name: "Revoke" }).click();
  // For an unused key, the name doesn't have to be typed.
  await expect(
    dialog(page).getByText("This key hasn't been used in the last 7 days."),
  ).toBeVisible();
  await expect(dialog(page).getByLabel(/^Type/)).toHaveCount(0);
  await dialog(page).getByLabel("Reason").fill("Leaked");
  await page.setViewportSize({ width: 360, height: 800 });
  await expect
    .poll(() => panel.first().evaluate((element) => element.matches(":modal")))
    .toBe(true);
  await dialog(page).getByLabel("Reason").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" in a log.");
  await dialog(page).getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("status").getByText("Revoked Bank feed")).toBeVisible();
});

test("saving a draft keeps fields that another admin changed since", async ({ page, admin }) => {
  const key = await admin.create({
    name: "Bank feed",
    scopes: ["read:exceptions", "write:exceptions"],
  });
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");
  await panel.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Name").fill("Bank feed importer");
  const response = page.waitForResponse(
    async (answer) =>
      answer.url().endsWith(key.id) && (await answer.text()).includes('["read:exceptions"]'),
  );
  expect((await admin.call("PATCH", `/${key.id}`, { scopes: ["read:exceptions"] })).status).toBe(
    200,
  );
  await response;
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("status").getByText("Saved Bank feed importer")).toBeVisible();
  expect(await admin.get(key.id)).toMatchObject({
    name: "Bank feed importer",
    scopes: ["read:exceptions"],
  });
});

test("a change that would refuse calls lists them before saving; any other is saved at once", async ({
  page,
  admin,
}) => {
  const key = await admin.create({
    name: "Bank feed",
    scopes: ["read:exceptions", "write:exceptions"],
  });
  await Promise.all([1, 2].map(() => admin.use(key.credential)));
  await until("the calls are counted", async () => (await admin.get(key.id)).request_count === 2);
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");

  await panel.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Name").fill("Bank feed importer");
  await dialog(page).getByRole("checkbox", { name: "write exceptions" }).uncheck();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  const importer = page.getByRole("dialog", { name: "Bank feed importer" });
  await expect(page.getByRole("status").getByText("Saved Bank feed importer")).toBeVisible();
  expect(await admin.get(key.id)).toMatchObject({
    name: "Bank feed importer",
    scopes: ["read:exceptions"],
  });

  await importer.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Allowed addresses").fill("192.0.2.0/24");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText(
    "This would have refused 2 of the 2 calls in the last 7 days.",
  );
  await expect(dialog(page).getByRole("row", { name: /^(127\.0\.0\.1|::1) 2$/ })).toBeVisible();
  expect((await admin.get(key.id)).ip_allowlist).toEqual([]);
  await dialog(page).getByRole("button", { name: "Back" }).click();
  await expect(dialog(page).getByLabel("Allowed addresses")).toHaveValue("192.0.2.0/24");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByRole("button", { name: "Save anyway" }).click();
  await expect(importer.getByText("192.0.2.0/24")).toBeVisible();
  expect(codeOf(await admin.use(key.credential))).toBe("ip_not_allowed");
});
