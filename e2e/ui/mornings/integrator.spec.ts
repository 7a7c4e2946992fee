import { expect } from "@playwright/test";
import { api, enrol, uniqueName } from "../../fixtures.ts";
import { enter } from "../person.ts";
import { copiedText, dialog, panelOf, test } from "../webhooks/hooks.ts";
import { goTo, panel } from "./arrive.ts";

test("an integrator's morning: a key, a first call, its event, and a refusal", async ({
  page,
  context,
  hooks,
}) => {
  test.setTimeout(120_000);
  const { tenant } = hooks.subscriber;
  await context.clearCookies();
  const { email } = await enrol({ [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}`);
  await enter(page, email);

  await page
    .getByRole("region", { name: "First steps" })
    .getByRole("link", { name: "Create an API key" })
    .click();
  await panel(page).getByLabel("Name").fill("Nightly export");
  await panel(page).getByRole("checkbox", { name: "write exceptions" }).check();
  await panel(page).getByRole("button", { name: "Create key" }).click();
  await panel(page).getByRole("button", { name: "Copy the credential" }).click();
  const bearer = await copiedText(page);
  await panel(page).getByRole("button", { name: "Done" }).click();

  await goTo(page, "Webhooks");
  await page.getByRole("button", { name: "Register webhook" }).first().click();
  const path = `/${uniqueName("hook")}`;
  await dialog(page).getByLabel("URL").fill(hooks.receiver.url(path));
  await dialog(page).getByRole("checkbox", { name: "exception.created" }).check();
  await dialog(page).getByRole("button", { name: "Copy the secret" }).click();
  await hooks.receiver.behave(path, { secrets: [await copiedText(page)], strict: true });
  await dialog(page).getByRole("button", { name: "Register webhook" }).click();
  await page.getByRole("button", { name: "Send a test event" }).click();
  await expect(panelOf(page, "webhook.test").getByText("Delivered").first()).toBeVisible();
  await page.keyboard.press("Escape");

  const send = (severity: string) =>
    api("POST", "/v1/exceptions", { bearer, tenant, body: { title: "Payout 4711", severity } });
  expect((await send("urgent")).status).toBe(400);
  expect((await send("high")).status).toBe(201);
  await goTo(page, "Requests & deliveries");
  const calls = page.getByRole("row").filter({ hasText: "POST /v1/exceptions" });
  const refused = page.getByRole("row", { name: /^400 POST \/v1\/exceptions/ });
  // Calls appear about a second after they were answered.
  await expect(async () => {
    await page.reload();
    await expect(calls).toHaveCount(2, { timeout: 5_000 });
  }).toPass();
  await expect(refused).toContainText("Nightly export");
  await refused.getByRole("link").click();
  await expect(panel(page).getByRole("link", { name: "Nightly export" })).toBeVisible();
  await expect(panel(page)).toContainText("severity");
  await panel(page).getByRole("button", { name: "Copy as curl" }).click();
  expect(await copiedText(page)).toContain('"severity":"urgent"');
  await page.keyboard.press("Escape");
  await page
    .getByRole("row", { name: /^201 POST \/v1\/exceptions/ })
    .getByRole("link")
    .click();
  await panel(page).getByRole("link", { name: "exception.created" }).click();
  await expect(panelOf(page, "exception.created").getByText("Delivered").first()).toBeVisible();
  expect((await hooks.receiver.gets(path, 2))[1]?.verified).toHaveLength(1);
});
