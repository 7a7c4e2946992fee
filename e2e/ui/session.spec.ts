import { type BrowserContext, expect, type Page } from "@playwright/test";
import { api, createTenant, enrol, PASSWORD, sql, userToken } from "../fixtures.ts";
import { beSignedIn, enter } from "./person.ts";
import { anotherContext, test } from "./test.ts";

const endedDialog = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });

async function signedIn(page: Page, tenants: Parameters<typeof enrol>[0], path: string) {
  const person = await enrol(tenants);
  await page.goto(path);
  await enter(page, person.email);
  await expect(page).toHaveURL(path);
  return person;
}

/** The status of a call with the page's session, sent like the page's own calls. */
function statusOf(page: Page, tenant: string, path: string): Promise<number> {
  return page.evaluate(
    ([url, id]) => fetch(url, { headers: { "X-Tenant-Id": id } }).then(({ status }) => status),
    [path, tenant] as const,
  );
}

async function fillSignIn(page: Page, email: string, password = PASSWORD) {
  await endedDialog(page).getByLabel("Email").fill(email);
  await endedDialog(page).getByLabel("Password").fill(password);
  await endedDialog(page).getByRole("button", { name: "Sign in" }).click();
}

test("after a session ends during work, signing in continues in place with nothing lost", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const { email } = await signedIn(page, { [tenant]: ["tenant_admin"] }, `/${tenant}/api-keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name").fill("Nightly export");
  await form.getByLabel("Description").fill("Every night at two");
  await form.getByRole("checkbox", { name: "read reconciliations" }).check();
  await context.clearCookies();
  await form.getByRole("button", { name: "Create key" }).click();

  await expect(endedDialog(page)).toBeVisible();
  await fillSignIn(page, email, "not-the-password");
  await expect(endedDialog(page).getByRole("alert")).toContainText("Incorrect email or password");
  await endedDialog(page).getByRole("button", { name: "Close" }).click();
  await expect(form.getByText("Your session has ended.")).toBeVisible();
  await expect(form.getByLabel("Name")).toHaveValue("Nightly export");
  await expect(form.getByLabel("Description")).toHaveValue("Every night at two");
  await form.getByRole("button", { name: "Create key" }).click();
  await fillSignIn(page, email);
  await expect(endedDialog(page)).toBeHidden();
  await expect(page.getByRole("dialog", { name: "Nightly export created" })).toBeVisible();
});

test("signing out ends every tab at once, and signing in again continues every tab", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const { name, email } = await signedIn(
    page,
    { [tenant]: ["tenant_admin"] },
    `/${tenant}/api-keys`,
  );
  const other = await context.newPage();
  await other.goto(`/${tenant}/reconciliations?new=true`);
  await other.getByLabel("Name").fill("October payouts");
  await page.getByRole("button", { name: new RegExp(`${name} Admin$`) }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await expect(endedDialog(other)).toBeVisible();

  await enter(page, email);
  await expect(page).toHaveURL(`/${tenant}`);
  await expect(endedDialog(other)).toBeHidden();
  await expect(other.getByLabel("Name")).toHaveValue("October payouts");
  expect(await statusOf(other, tenant, "/v1/me")).toBe(200);
});

test("the open page of a removed member says that they were removed", async ({ page }) => {
  const tenant = await createTenant();
  const { id } = await signedIn(page, { [tenant]: ["tenant_analyst"] }, `/${tenant}/exceptions`);
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const removed = await api("DELETE", `/v1/tenants/${tenant}/members/${id}`, { bearer, tenant });
  expect(removed.status, removed.text).toBe(200);
  await expect(
    page.getByRole("dialog", { name: `You no longer have access to Tenant ${tenant}` }),
  ).toBeVisible();
  await expect(endedDialog(page)).toBeHidden();
});

test("a page whose session has ended sends no more requests", async ({ page, context }) => {
  const tenant = await createTenant();
  await signedIn(page, { [tenant]: ["tenant_admin"] }, `/${tenant}/exceptions`);
  await expect(page.getByText("No open exceptions")).toBeVisible();
  await context.clearCookies();
  await expect(endedDialog(page)).toBeVisible();
  const requests: string[] = [];
  page.on("request", (request) => request.url().includes("/v1/") && requests.push(request.url()));
  await expect(page.getByText(/Updated (9|\d\d) s ago|Updated \d+ min ago/)).toBeVisible();
  expect(requests).toEqual([]);
});

test("after another person signs in, the page shows only that person's data", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await signedIn(page, { [tenant]: ["tenant_admin"] }, `/${tenant}/exceptions`);
  const second = await enrol({ [tenant]: ["tenant_analyst"] });
  await context.clearCookies();
  await expect(endedDialog(page)).toBeVisible();
  await fillSignIn(page, second.email);
  await expect(
    page.getByRole("button", { name: new RegExp(`${second.name} Analyst$`) }),
  ).toBeVisible();
});

test("a change of roles takes effect within the configured time, without signing in again", async ({
  page,
}) => {
  const [tenant, other] = [await createTenant(), await createTenant()];
  const { id, name } = await signedIn(
    page,
    { [tenant]: ["tenant_admin"] },
    `/${tenant}/exceptions`,
  );
  expect(await statusOf(page, tenant, "/v1/webhooks")).toBe(200);
  await sql("update auth.users set raw_app_meta_data = $2 where id = $1", [
    id,
    { tenants: { [tenant]: ["tenant_analyst"], [other]: ["tenant_lead"] } },
  ]);
  await expect.poll(() => statusOf(page, tenant, "/v1/webhooks")).toBe(403);
  expect(await statusOf(page, other, "/v1/exceptions")).toBe(200);
  await page.reload();
  await expect(page.getByRole("button", { name: new RegExp(`${name} Analyst$`) })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Switch tenant/ })).toBeVisible();
});

test.describe("a person who may no longer sign in is signed out within the configured time", () => {
  const ways = {
    banned: "update auth.users set banned_until = now() + interval '1 day' where id = $1",
    removed: "delete from auth.users where id = $1",
  };
  for (const [way, statement] of Object.entries(ways)) {
    test(way, async ({ page }) => {
      const tenant = await createTenant();
      const { id } = await signedIn(page, { [tenant]: ["tenant_admin"] }, `/${tenant}/exceptions`);
      if (way === "removed") await sql("delete from auth.identities where user_id = $1", [id]);
      await sql(statement, [id]);
      await expect(endedDialog(page)).toBeVisible();
      expect(await statusOf(page, tenant, "/v1/me")).toBe(401);
      await page.goto(`/${tenant}/exceptions`);
      await expect(page).toHaveURL(/\/sign-in/);
    });
  }
});

test("roles from an identity provider last for their lifetime, then they are fetched again", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const until = (seconds: number) =>
    signInByProvider(context, tenant, Math.floor(Date.now() / 1000) + seconds);
  await until(60);
  await page.goto(`/${tenant}/exceptions`);
  await expect(page.getByRole("heading", { name: "Exceptions", exact: true })).toBeVisible();
  await until(-1);
  expect(await statusOf(page, tenant, "/v1/me")).toBe(401);
  await page.goto(`/${tenant}/exceptions`);
  await expect(page).toHaveURL(/\/sign-in/);
});

function signInByProvider(context: BrowserContext, tenant: string, valid_until: number) {
  return beSignedIn(context, { [tenant]: ["tenant_admin"] }, "olga", { valid_until });
}

test("a person sees where they are signed in, and signs out one browser or all of them", async ({
  page,
  browser,
}) => {
  const tenant = await createTenant();
  const { name, email } = await signedIn(
    page,
    { [tenant]: ["tenant_analyst"] },
    `/${tenant}/exceptions`,
  );
  const others = await Promise.all([1, 2].map(() => anotherContext(browser)));
  const [second, third] = await Promise.all(others.map((context) => context.newPage()));
  if (!second || !third) throw new Error("no pages");
  for (const other of [second, third]) {
    await other.goto(`/${tenant}/exceptions`);
    await enter(other, email);
    await expect(other).toHaveURL(`/${tenant}/exceptions`);
  }
  await page.getByRole("button", { name: new RegExp(`${name} Analyst$`) }).click();
  await page.getByRole("menuitem", { name: "Sessions" }).click();
  const sessions = page.getByRole("dialog", { name: "Sessions" });
  await expect(sessions.getByRole("listitem")).toHaveCount(3);
  await expect(sessions.getByText("This browser")).toHaveCount(1);
  // The newest session is first: that of the third browser.
  await sessions
    .getByRole("button", { name: /^Sign out Chrome/ })
    .first()
    .click();
  await expect(sessions.getByRole("listitem")).toHaveCount(2);
  await expect(endedDialog(third)).toBeVisible();
  expect(await statusOf(second, tenant, "/v1/me")).toBe(200);
  await sessions.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL("/sign-in");
  await expect(endedDialog(second)).toBeVisible();
  await Promise.all(others.map((context) => context.close()));
});

test("the session's cookie is out of reach of scripts and of other sites", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await signedIn(page, { [tenant]: ["tenant_admin"] }, `/${tenant}/exceptions`);
  const session = (await context.cookies()).find(({ name }) => name === "tieout.session");
  expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
  expect(await page.evaluate(() => document.cookie)).not.toContain("session");
});
