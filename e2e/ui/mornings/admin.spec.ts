import { expect } from "@playwright/test";
import { tenantWithAdmin } from "../../api/api-keys/keys.ts";
import { uniqueName } from "../../fixtures.ts";
import { mailTo } from "../../mailbox.ts";
import { minutesFromNow, report } from "../person.ts";
import { test } from "../test.ts";
import { arrive, goTo, panel } from "./arrive.ts";

const THREE_DAYS = 3 * 24 * 60;

test("an admin's morning: rotate a key, invite a colleague, tighten deadlines", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const { tenant, create, use } = await tenantWithAdmin();
  await report(tenant, { title: "Payout 4711", due_in_minutes: 90 });
  const old = await create({ name: "Bank feed", expires_at: minutesFromNow(THREE_DAYS) });
  await use(old.credential);
  const name = await arrive(page, tenant, "tenant_admin");

  const keys = page.getByRole("region", { name: "API keys" });
  await keys
    .getByRole("region", { name: "Expiring soon" })
    .getByRole("link", { name: "Bank feed" })
    .click();
  await panel(page, "Bank feed").getByRole("button", { name: "Rotate" }).click();
  await panel(page).getByRole("button", { name: "Rotate key" }).click();
  await panel(page, "Bank feed rotated").getByRole("checkbox", { name: "I've stored it" }).check();
  await panel(page, "Bank feed rotated").getByRole("button", { name: "Done" }).click();
  await expect(panel(page, "Bank feed").getByRole("region", { name: "Rotation" })).toContainText(
    "Expires in",
  );
  await page.keyboard.press("Escape");

  await goTo(page, "Members");
  const email = `${uniqueName("nia")}@mail.example`;
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send invitation" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: email })).toContainText("Analyst");
  expect((await mailTo(email)).text).toContain(name);

  await goTo(page, "SLA policy");
  await page.getByRole("textbox", { name: "High" }).fill("6");
  await page.getByRole("button", { name: "Review changes" }).click();
  await expect(
    panel(page, "Change the SLA policy").getByRole("row", { name: "High 8 hours 6 hours" }),
  ).toBeVisible();
  await panel(page).getByRole("button", { name: "Save policy" }).click();
  await expect(page.getByText(`by ${name}`)).toBeVisible();

  await goTo(page, "Security events");
  for (const event of [
    `${name} rotated the key`,
    `${name} invited ${email}`,
    `${name} changed the SLA policy`,
  ])
    await expect(page.getByRole("row").filter({ hasText: event })).toBeVisible();
});
