import { expect } from "@playwright/test";
import { PRODUCT } from "#lib/wire/product.ts";
import { dialog, test } from "./hooks.ts";

test("filters, headers and a limit are set; header values are never shown again", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({});
  for (const severity of ["critical", "low"])
    await hooks.subscriber.call("POST", "/v1/exceptions", { title: "Payout", severity });
  await page.goto(hooks.pageOf(webhook));
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByText("Filters, headers, OAuth and limit").click();
  await dialog(page).getByLabel("Critical").check();
  await dialog(page).getByRole("button", { name: "Preview the last 7 days" }).click();
  // The third event is that of `registerAndDeliver`, without an exception and so a severity.
  await expect(dialog(page).getByText("2 of 3 events in the last 7 days")).toBeVisible();
  await dialog(page).getByLabel("Headers").fill("webhook-id: 1");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(
    dialog(page).getByText(`webhook-id is set by ${PRODUCT} or by the connection.`),
  ).toBeVisible();
  await dialog(page).getByLabel("Headers").fill("X-Gateway-Key: 3f1c0d9be7a8");
  await dialog(page).getByLabel("Limit per minute").fill("60");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("severity critical")).toBeVisible();
  await expect(page.getByText("60 deliveries a minute")).toBeVisible();
  await expect(page.getByText("X-Gateway-Key")).toBeVisible();

  await page.getByRole("button", { name: "Edit" }).click();
  await expect(dialog(page).getByLabel("Headers")).toHaveValue("X-Gateway-Key:\n");
  await dialog(page).getByLabel("Description").fill("Behind the gateway");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Behind the gateway")).toBeVisible();
  await hooks.subscriber.call("POST", `${webhook.url}/test`);
  const got = (await webhook.gets(4)).at(-1);
  expect(got?.headers["x-gateway-key"]).toBe("3f1c0d9be7a8");
});
