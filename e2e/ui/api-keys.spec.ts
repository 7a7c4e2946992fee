import { expect, type Locator, type Page, test } from "@playwright/test";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { codeOf, tenantWithAdmin } from "../api/api-keys/keys.ts";
import { api, PASSWORD, uniqueName } from "../fixtures.ts";
import { until } from "../until.ts";
import { beSignedIn, rowOf, tabTo } from "./person.ts";
import { complaintsOf, expectSound } from "./soundness.ts";

type Admin = Awaited<ReturnType<typeof tenantWithAdmin>>;

let admin: Admin;

test.beforeEach(async ({ context }) => {
  admin = await tenantWithAdmin();
  await beSignedIn(context, { [admin.tenant]: ["tenant_admin"] });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

function dialog(page: Page): Locator {
  return page.getByRole("dialog").last();
}

/** Fills in and sends the form of a new key; its secret is then on the screen. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole("button", { name: "Create key" }).first().click();
  await dialog(page).getByLabel("Name").fill(name);
  await dialog(page).getByRole("checkbox", { name: "read reconciliations" }).check();
  await dialog(page).getByRole("button", { name: "Create key" }).click();
  return shownCredential(page);
}

async function shownCredential(page: Page): Promise<string> {
  const shown = dialog(page).getByText(/^tk_\w+\.tks_\w+$/);
  await expect(shown).toBeVisible();
  return (await shown.textContent()) ?? "";
}

function copiedText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

async function openPanel(page: Page, name: string): Promise<Locator> {
  await rowOf(page, name).getByRole("link").click();
  const panel = page.getByRole("dialog", { name });
  await expect(panel.getByRole("heading", { name: "Usage" })).toBeVisible();
  return panel;
}

test("a key made here works by the command that is copied, and the list tells of its first call", async ({ page }) => {
  await page.goto(`/${admin.tenant}/api-keys`);
  const credential = await createKey(page, "Nightly export");
  await dialog(page).getByRole("button", { name: "Copy the command" }).click();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  const row = rowOf(page, "Nightly export");
  await expect(row.getByText("Waiting for the first call…")).toBeVisible();
  await expect(row.getByText("Active")).toBeVisible();
  await expect(page.getByRole("status").getByText("made its first call")).toBeHidden();

  const command = await copiedText(page);
  const [, url = ""] = /^curl (\S+)/.exec(command) ?? [];
  const headers = Object.fromEntries([...command.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name, value]) => [name, value]));
  expect(new URL(url).pathname).toBe("/v1/reconciliations");
  expect(headers).toEqual({ Authorization: `Bearer ${credential}`, "X-Tenant-Id": admin.tenant });
  expect((await fetch(url, { headers })).status).toBe(200);

  await expect(page.getByRole("status").getByText("Nightly export made its first call")).toBeVisible();
  await expect(row).toContainText("just now");
  expect(codeOf(await admin.use(credential))).toBe("scope_required");
});

test("after closing, the secret is nowhere: page, storage, history, cookies, and whatever the server answers later", async ({
  page,
  context,
}) => {
  await page.goto(`/${admin.tenant}/api-keys`);
  const secret = (await createKey(page, "Nightly export")).split(".")[1] ?? "";
  expect(await page.content()).toContain(secret);
  await dialog(page).getByRole("checkbox", { name: "I've stored it" }).check();
  const seen: string[] = [];
  page.on("response", (response) => {
    seen.push(response.url());
    response.text().then(
      (text) => seen.push(text),
      () => {},
    );
  });
  await dialog(page).getByRole("button", { name: "Done" }).click();

  const left = () =>
    page.evaluate(() => {
      const inline = [...document.querySelectorAll("input, textarea")].map((field) => (field as HTMLInputElement).value);
      return JSON.stringify([
        document.documentElement.outerHTML,
        inline,
        { ...localStorage },
        { ...sessionStorage },
        history.state,
        location.href,
      ]);
    });
  await openPanel(page, "Nightly export");
  expect(await left()).toContain("Nightly export");
  expect(await left()).not.toContain(secret);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Exceptions" }).first().click();
  await expect(page.getByText("No open exceptions")).toBeVisible();
  await page.goBack();
  await page.reload();
  await expect(rowOf(page, "Nightly export")).toBeVisible();
  expect(await left()).not.toContain(secret);
  expect(JSON.stringify(await context.cookies())).not.toContain(secret);
  await expect.poll(() => seen.join("\n")).toContain("Nightly export");
  expect(seen.join("\n")).not.toContain(secret);
});

test("the secret stays until it is stored, however one tries to leave", async ({ page }) => {
  await page.goto(`/${admin.tenant}/exceptions`);
  await page.getByRole("link", { name: "API keys" }).click();
  await expect(page.getByText("No API keys yet")).toBeVisible();
  const credential = await createKey(page, "Nightly export");
  const warning = dialog(page).getByText("It can't be shown again");
  await expect(warning).toBeHidden();

  await page.keyboard.press("Escape");
  await expect(warning).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  await page.mouse.click(5, 5);
  expect(await shownCredential(page)).toBe(credential);

  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  expect(await shownCredential(page)).toBe(credential);

  await page.goBack();
  await expect(page).toHaveURL(/exceptions$/);
  expect(await shownCredential(page)).toBe(credential);

  await dialog(page).getByRole("button", { name: "Copy the credential" }).click();
  expect(await copiedText(page)).toBe(credential);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("a rotation shows both keys, the time left, and who still uses the old one", async ({ page }) => {
  const old = await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");
  await panel.getByRole("button", { name: "Rotate" }).click();
  await expect(dialog(page).getByRole("radio", { name: "24 h" })).toBeChecked();
  await dialog(page).getByText("1 h", { exact: true }).click();
  await dialog(page).getByRole("button", { name: "Rotate key" }).click();
  await expect(page.getByRole("dialog", { name: "Bank feed has a new key" })).toBeVisible();
  const successor = await shownCredential(page);
  await dialog(page).getByRole("button", { name: "Copy the credential" }).click();
  await dialog(page).getByRole("button", { name: "Done" }).click();

  const rotation = panel.getByRole("region", { name: "Rotation" });
  await expect(rotation).toContainText(/Expires in (59 min|1 h)/);
  await expect(rotation).toContainText("The old key hasn't been used since the rotation.");
  await expect(rotation).toContainText("Waiting for the first call…");
  await expect(panel.getByText("Rotating")).toBeVisible();
  await expect(panel.getByRole("button", { name: "Rotate" })).toBeHidden();
  expect((await admin.use(old.credential)).status).toBe(200);
  expect((await admin.use(successor)).status).toBe(200);
  await expect(rotation.getByRole("row", { name: /(127\.0\.0\.1|::1) 1 call just now/ })).toBeVisible();

  await rotation.getByRole("button", { name: "Open the new key" }).click();
  await expect(panel.getByText("Active")).toBeVisible();
  await expect(rotation).toContainText(/Old key.*Expires in/s);
  await panel.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("row").filter({ hasText: "Bank feed" })).toHaveCount(2);
  await expect(page.getByRole("row").filter({ hasText: "Rotating" })).toContainText(/Ends in 59 min/);
});

test("revoking asks for name and reason, says what it would refuse, and holds on the next call", async ({ page }) => {
  const key = await admin.create({ name: "Bank feed", scopes: ["read:exceptions", "write:exceptions"] });
  await Promise.all([1, 2, 3].map(() => admin.use(key.credential)));
  await until("the calls are counted", async () => (await admin.get(key.id)).request_count === 3);
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");
  await panel.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog(page)).toContainText("3 of the 3 calls in the last 7 days would have been refused.");
  await expect(dialog(page).getByRole("row", { name: "listExceptions 3" })).toBeVisible();

  await dialog(page).getByRole("button", { name: "Revoke key" }).click();
  await expect(dialog(page).getByText("That doesn't match the key's name.")).toBeVisible();
  await expect(dialog(page).getByText("Enter a reason.")).toBeVisible();
  expect((await admin.use(key.credential)).status).toBe(200);

  await dialog(page).getByLabel("Type Bank feed to confirm").fill("Bank feed");
  await dialog(page).getByLabel("Reason").fill("Leaked in a log.");
  await dialog(page).getByRole("button", { name: "Revoke key" }).click();
  await expect(panel.getByRole("status").getByText("Bank feed is revoked")).toBeVisible();
  expect((await admin.use(key.credential)).status).toBe(401);
  await expect(panel).toContainText(/Revoked .* by ada: Leaked in a log\./);
  await expect(panel.getByRole("heading", { name: "Bank feed" })).toBeFocused();
  await expect(panel.getByText("Key revoked")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "Bank feed").getByRole("link")).toBeFocused();
  await expect(rowOf(page, "Bank feed").getByText("Revoked").first()).toBeVisible();
});

test("a change that would refuse calls says which before it is saved, any other is saved at once", async ({ page }) => {
  const key = await admin.create({ name: "Bank feed", scopes: ["read:exceptions", "write:exceptions"] });
  await Promise.all([1, 2].map(() => admin.use(key.credential)));
  await until("the calls are counted", async () => (await admin.get(key.id)).request_count === 2);
  await page.goto(`/${admin.tenant}/api-keys`);
  const panel = await openPanel(page, "Bank feed");

  await panel.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Name").fill("Bank feed importer");
  await dialog(page).getByRole("checkbox", { name: "write exceptions" }).uncheck();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  const importer = page.getByRole("dialog", { name: "Bank feed importer" });
  await expect(importer.getByRole("status").getByText("is saved")).toBeVisible();
  expect(await admin.get(key.id)).toMatchObject({ name: "Bank feed importer", scopes: ["read:exceptions"] });

  await importer.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Allowed addresses").fill("192.0.2.0/24");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText("2 of the 2 calls in the last 7 days would have been refused.");
  await expect(dialog(page).getByRole("row", { name: /^(127\.0\.0\.1|::1) 2$/ })).toBeVisible();
  expect((await admin.get(key.id)).ip_allowlist).toEqual([]);
  await dialog(page).getByRole("button", { name: "Back" }).click();
  await expect(dialog(page).getByLabel("Allowed addresses")).toHaveValue("192.0.2.0/24");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByRole("button", { name: "Save anyway" }).click();
  await expect(importer.getByText("192.0.2.0/24")).toBeVisible();
  expect(codeOf(await admin.use(key.credential))).toBe("ip_not_allowed");
});

test("the form says what is wrong at each field, warns of keys that work from anywhere, and knows one's own address", async ({ page }) => {
  await page.goto(`/${admin.tenant}/api-keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  const form = dialog(page);
  await expect(form.getByRole("status").getByText("from anywhere")).toBeVisible();
  await form.getByRole("button", { name: "Create key" }).click();
  await expect(form.getByText("Enter a name.")).toBeVisible();
  await expect(form.getByText("Select at least one scope.")).toBeVisible();
  await expect(form.getByLabel("Name")).toBeFocused();

  await form.getByLabel("Name").fill("Nightly export");
  await form.getByRole("checkbox", { name: "read reconciliations" }).check();
  const addresses = form.getByLabel("Allowed addresses");
  await addresses.fill("10.0.0.256");
  await form.getByRole("button", { name: "Create key" }).click();
  await expect(form.getByText("“10.0.0.256” isn't an IP address or CIDR range.")).toBeVisible();
  await expect(addresses).toBeFocused();
  await addresses.fill("::/0");
  await expect(form.getByRole("status").getByText("the whole internet")).toBeVisible();
  await addresses.fill("10.0.0.0/8");
  await expect(form.getByRole("status").getByText(/from anywhere|whole internet/)).toBeHidden();
  await form.getByRole("button", { name: /^Add my address/ }).click();
  await expect(addresses).toHaveValue(/^10\.0\.0\.0\/8\n(127\.0\.0\.1|::1)$/);

  await expect(form.getByRole("radio", { name: "90 days (recommended)" })).toBeChecked();
  await form.getByText("Custom").click();
  await form.getByLabel("Last day (UTC)").fill("2999-01-01");
  await form.getByRole("button", { name: "Create key" }).click();
  await expect(form.getByText("at most 10 years away")).toBeVisible();
  await form.getByText("Never").click();
  await form.getByRole("button", { name: "Create key" }).click();
  await shownCredential(page);
  const { items } = (await admin.call("GET", "")).json as { items: ApiKey[] };
  expect(items).toMatchObject([{ expires_at: null, ip_allowlist: ["10.0.0.0/8", expect.stringMatching(/127|::1/)] }]);
});

test("a lost answer is asked for again and gives one key; two clicks are one", async ({ page }) => {
  await page.goto(`/${admin.tenant}/api-keys`);
  let posted = 0;
  await page.route("**/api-keys", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    posted += 1;
    if (posted > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Create key" }).click();
  const form = dialog(page);
  await form.getByLabel("Name").fill("Nightly export");
  await form.getByRole("checkbox", { name: "read reconciliations" }).check();
  await form.getByRole("button", { name: "Create key" }).dblclick();
  await expect(form.getByText("Trying again is safe")).toBeVisible();
  await expect(form.getByLabel("Name")).toBeDisabled();
  expect(posted).toBe(1);
  await form.getByRole("button", { name: "Try again" }).click();
  const credential = await shownCredential(page);
  const answer = await api("GET", "/v1/reconciliations", { bearer: credential, tenant: admin.tenant });
  expect(answer.status).toBe(200);
  expect(((await admin.call("GET", "")).json as { items: ApiKey[] }).items).toHaveLength(1);
});

test("search and filter stand in the address, and of a pasted credential only the public part", async ({ page }) => {
  const ledger = await admin.create({ name: "Ledger export" });
  const feed = await admin.create({ name: "Bank feed" });
  await admin.call("DELETE", `/${feed.id}`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`/${admin.tenant}/api-keys`);
  await page.getByRole("searchbox").fill("LEDGER");
  await expect(rowOf(page, "Bank feed")).toBeHidden();
  await expect(page).toHaveURL(/q=LEDGER/);
  await page.getByRole("searchbox").fill(ledger.credential);
  await expect(page.getByRole("searchbox")).toHaveValue(ledger.key_id);
  await expect(page).toHaveURL(new RegExp(`q=${ledger.key_id}$`));
  await expect(rowOf(page, "Ledger export")).toBeVisible();
  expect(asked.join()).not.toContain(ledger.key_secret);

  await page.getByRole("button", { name: "Filter by status" }).click();
  await page.getByRole("menuitemradio", { name: "Revoked" }).click();
  await expect(page.getByRole("heading", { name: "No matching API keys" })).toBeVisible();
  await page.getByRole("searchbox").fill("");
  await expect(rowOf(page, "Bank feed")).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL(/status=revoked/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("row")).toHaveCount(3);
});

test("a key that ends soon and one that is due for rotation say so", async ({ page }) => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await admin.create({ name: "Soon", expires_at: inDays(13.5) });
  await admin.create({ name: "Later", expires_at: inDays(15) });
  const aged = await admin.create({ name: "Aged", scopes: ["read:exceptions", "write:webhooks"] });
  await admin.age(aged.id, 91);
  await page.goto(`/${admin.tenant}/api-keys`);
  await expect(rowOf(page, "Soon")).toContainText("Expires soon: 14 days");
  await expect(rowOf(page, "Later")).not.toContainText("soon");
  await expect(rowOf(page, "Aged")).toContainText("Over 90 days old: rotate");
  const panel = await openPanel(page, "Aged");
  await expect(panel.getByText("write (unused for 30 days)")).toBeVisible();
});

test("by keyboard alone: sign in, create, store the secret, rotate and revoke", async ({ page, context }) => {
  test.slow();
  await context.clearCookies();
  const name = uniqueName("Keyboard");
  const { keyboard } = page;
  await page.goto("/acme/api-keys");
  await tabTo(page, page.getByLabel("Email"));
  await keyboard.type("ada@acme.example");
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await expect(page).toHaveURL("/acme/api-keys");

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
  await expect(create).toBeFocused();
  expect((await api("GET", "/v1/reconciliations", { bearer: credential, tenant: "acme" })).status).toBe(200);

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
  // Meanwhile the panel learns that the key rotates: the button that had the focus is gone.
  await expect(panel.locator("button", { hasText: "Rotate" })).toHaveCount(0);
  await tabTo(page, dialog(page).getByRole("checkbox", { name: "I've stored it" }));
  await keyboard.press("Space");
  await keyboard.press("Escape");
  await expect(panel.getByText("Rotating")).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest("dialog")?.getAttribute("aria-label"))).toBe(name);

  await tabTo(page, panel.getByRole("button", { name: "Revoke" }));
  await keyboard.press("Enter");
  await expect(dialog(page).getByLabel(/^Type/)).toBeFocused();
  await keyboard.type(name);
  await keyboard.press("Tab");
  await keyboard.type("Tried out.");
  await tabTo(page, dialog(page).getByRole("button", { name: "Revoke key" }));
  await keyboard.press("Enter");
  await expect(panel.getByText("by ada: Tried out.")).toBeVisible();
  expect((await api("GET", "/v1/reconciliations", { bearer: credential, tenant: "acme" })).status).toBe(401);
  await keyboard.press("Escape");
  await expect(panel).toBeHidden();
});

for (const role of ["tenant_analyst", "tenant_lead"] as const) {
  test(`a ${role} is told who manages keys, and sees none`, async ({ page, context }) => {
    const name = uniqueName("Hidden");
    await admin.create({ name });
    await beSignedIn(context, { [admin.tenant]: [role] });
    const response = await page.goto(`/${admin.tenant}/api-keys`);
    expect(response?.status()).toBe(200);
    await expect(page.getByRole("heading", { name: "Admins manage API keys" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Create key" })).toBeHidden();
    expect(await page.content()).not.toContain(name);
  });
}

test("who stops being an admin meanwhile is told so", async ({ page, context }) => {
  await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  await expect(rowOf(page, "Bank feed")).toBeVisible();
  await beSignedIn(context, { [admin.tenant]: ["tenant_analyst"] });
  await expect(page.getByRole("heading", { name: "Your role doesn't allow this" })).toBeVisible();
});

test("an error shows its request id, and trying again works", async ({ page }) => {
  await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  await expect(rowOf(page, "Bank feed")).toBeVisible();
  const problem = { code: "internal", detail: "Something went wrong on our side.", request_id: "req_0123456789abcdef" };
  await page.route("**/v1/**", (route) => route.fulfill({ status: 500, json: problem }));
  await page.getByRole("searchbox").fill("bank");
  await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(rowOf(page, "Bank feed")).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1440]) {
    test(`list, panel and every dialog, ${colorScheme}, ${width} px: nothing that axe finds, no complaint, no sideways scrolling`, async ({
      page,
    }) => {
      test.setTimeout(120_000);
      const complaints = complaintsOf(page);
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const inspect = (state: string) => expectSound(page, width, state);

      const feed = await admin.create({ name: "Bank feed", scopes: ["read:exceptions", "write:webhooks"] });
      const aged = await admin.create({ name: "Aged" });
      await admin.age(aged.id, 91);
      await admin.call("DELETE", `/${(await admin.create({ name: "Gone" })).id}`, { reason: "No longer needed." });
      await admin.create({ name: "Strict", ip_allowlist: ["192.0.2.0/24"], expires_at: new Date(Date.now() + 86_400_000).toISOString() });
      await admin.use(feed.credential);
      await until("the call is counted", async () => (await admin.get(feed.id)).request_count === 1);
      await page.goto(`/${admin.tenant}/api-keys`);
      await expect(rowOf(page, "Bank feed")).toBeVisible();
      await inspect("list");

      await page.getByRole("button", { name: "Create key" }).click();
      await dialog(page).getByRole("button", { name: "Create key" }).click();
      await inspect("create, with errors");
      await page.keyboard.press("Escape");
      await createKey(page, "Nightly export");
      await page.keyboard.press("Escape");
      await inspect("reveal, held");
      await dialog(page).getByRole("checkbox").check();
      await dialog(page).getByRole("button", { name: "Done" }).click();

      const panel = await openPanel(page, "Bank feed");
      await expect(panel.getByRole("application", { name: /^Calls in the last 7 days/ })).toBeVisible();
      await inspect("panel");
      await panel.getByRole("button", { name: "Show as table" }).click();
      await inspect("panel, calls as a table");
      await panel.getByRole("button", { name: "Edit" }).click();
      await dialog(page).getByLabel("Allowed addresses").fill("192.0.2.1");
      await dialog(page).getByRole("button", { name: "Save" }).click();
      await expect(dialog(page).getByRole("button", { name: "Save anyway" })).toBeVisible();
      await inspect("edit, with what it would refuse");
      await page.keyboard.press("Escape");
      await panel.getByRole("button", { name: "Revoke" }).click();
      await expect(dialog(page).getByText("would have been refused")).toBeVisible();
      await dialog(page).getByRole("button", { name: "Revoke key" }).click();
      await inspect("revoke, with errors");
      await page.keyboard.press("Escape");
      await panel.getByRole("button", { name: "Rotate" }).click();
      await dialog(page).getByText("Now", { exact: true }).click();
      await expect(dialog(page).getByText("would have been refused")).toBeVisible();
      await inspect("rotate");
      await dialog(page).getByText("7 days", { exact: true }).click();
      await dialog(page).getByRole("button", { name: "Rotate key" }).click();
      await dialog(page).getByRole("checkbox").check();
      await dialog(page).getByRole("button", { name: "Done" }).click();
      await expect(panel.getByRole("region", { name: "Rotation" })).toBeVisible();
      await inspect("panel of a rotating key");
      expect(complaints).toEqual([]);
    });
  }
}
