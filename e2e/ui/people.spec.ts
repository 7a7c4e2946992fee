import { expect } from "@playwright/test";
import { createTenant, enrol, uniqueName } from "../fixtures.ts";
import { linkIn, mailTo } from "../mailbox.ts";
import { enter, openPalette } from "./person.ts";
import { anotherContext, test } from "./test.ts";

const NEW_PASSWORD = "a few words of my own";

test("an invited person opens the link, sets a password and sees their pages", async ({
  page,
  browser,
}) => {
  const tenant = await createTenant();
  const admin = await enrol({ [tenant]: ["tenant_admin"] });
  const email = `${uniqueName("nia")}@mail.example`;

  await page.goto(`/${tenant}/members`);
  await enter(page, admin.email);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Email").fill(email);
  await page.getByRole("checkbox", { name: /^Lead/ }).check();
  await page.getByRole("checkbox", { name: /^Analyst/ }).uncheck();
  await page.getByRole("button", { name: "Send invitation" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: email })).toContainText("Lead");

  const theirs = await (await anotherContext(browser)).newPage();
  await theirs.goto(linkIn(await mailTo(email)).url);
  await expect(theirs.getByText(`invited ${email} to Tenant ${tenant} as Lead`)).toBeVisible();
  await theirs.getByLabel("New password").fill(NEW_PASSWORD);
  await theirs.getByRole("button", { name: "Accept and sign in" }).click();
  await expect(theirs).toHaveURL(`/${tenant}`);
  await theirs.goto(`/${tenant}/reconciliations`);
  await expect(theirs.getByRole("button", { name: "New reconciliation" }).first()).toBeVisible();
  await theirs.goto(`/${tenant}/members`);
  await expect(theirs.getByRole("heading", { name: "Admins manage members" })).toBeVisible();

  await theirs.context().clearCookies();
  await theirs.goto(`/${tenant}/profile`);
  await enter(theirs, email, NEW_PASSWORD);
  await expect(theirs.getByRole("definition").filter({ hasText: email })).toBeVisible();
  await theirs.context().close();
});

test("several people are invited at once; failures are named and stay in the field", async ({
  page,
}) => {
  const tenant = await createTenant();
  const admin = await enrol({ [tenant]: ["tenant_admin"] });
  const [first, last] = [`${uniqueName("nia")}@mail.example`, `${uniqueName("zoe")}@mail.example`];
  await page.goto(`/${tenant}/members?invite=true`);
  await enter(page, admin.email);
  const dialog = page.getByRole("dialog", { name: "Invite people" });
  await dialog.getByLabel("Email").fill(`${first}, ${admin.email}, ${last}`);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await expect(dialog.getByText(`${admin.email}: This person is already a member.`)).toBeVisible();
  await expect(dialog.getByLabel("Email")).toHaveValue(`${admin.email}, ${last}`);
  await dialog.getByLabel("Email").fill(last);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  for (const email of [first, last])
    await expect(page.getByRole("listitem").filter({ hasText: email })).toContainText("Analyst");
});

test("a person changes their password and notifications on their profile", async ({ page }) => {
  const tenant = await createTenant();
  const { email } = await enrol({ [tenant]: ["tenant_analyst"] });
  await page.goto(`/${tenant}`);
  await enter(page, email);
  await expect(page).toHaveURL(`/${tenant}`);
  await openPalette(page);
  await page.keyboard.type("profile");
  await page.getByRole("option", { name: /^Profile/ }).click();
  await expect(page).toHaveURL(`/${tenant}/profile`);

  await page.getByLabel("Exceptions past their deadline").selectOption("Assigned to anyone");
  await page.getByRole("button", { name: "Save notifications" }).click();
  await expect(page.getByText("Notification settings saved")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Exceptions past their deadline")).toHaveValue("all");

  const currentPassword = page.getByLabel("Current password");
  await currentPassword.fill("not-the-password");
  await page.getByLabel("New password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("This isn't your current password.")).toBeVisible();
  await currentPassword.fill("tieout-demo");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed")).toBeVisible();
  await expect(currentPassword).toHaveValue("");

  await page.context().clearCookies();
  await page.goto(`/${tenant}/profile`);
  await enter(page, email, NEW_PASSWORD);
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
});
