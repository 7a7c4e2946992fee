import { expect } from "@playwright/test";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { codeOf } from "../../api/api-keys/keys.ts";
import { api } from "../../fixtures.ts";
import { rowOf } from "../person.ts";
import { copiedText, createKey, dialog, openPanel, shownCredential, test } from "./admin.ts";

test("a new key works in the copied command, and the list shows its first call", async ({
  page,
  admin,
}) => {
  await page.goto(`/${admin.tenant}/api-keys`);
  const credential = await createKey(page, "Nightly export");
  await dialog(page).getByRole("button", { name: "Copy the command" }).click();
  await expect(dialog(page).getByText("You can close this now")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  const row = rowOf(page, "Nightly export");
  await expect(row.getByText("Waiting for the first call…")).toBeVisible();
  await expect(row.getByText("Active")).toBeVisible();
  await expect(page.getByRole("status").getByText("made its first call")).toBeHidden();

  const command = await copiedText(page);
  const [, url = ""] = /^curl (\S+)/.exec(command) ?? [];
  const headers = Object.fromEntries(
    [...command.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name, value]) => [name, value]),
  );
  expect(new URL(url).pathname).toBe("/v1/reconciliations");
  expect(headers).toEqual({ Authorization: `Bearer ${credential}`, "X-Tenant-Id": admin.tenant });
  expect((await fetch(url, { headers })).status).toBe(200);

  await expect(
    page.getByRole("status").getByText("Nightly export made its first call"),
  ).toBeVisible();
  await expect(row).toContainText("just now");
  expect(codeOf(await admin.use(credential))).toBe("scope_required");
});

test("once its dialog is closed, a secret is not in the page or in later responses", async ({
  page,
  context,
  admin,
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
      const inline = [...document.querySelectorAll("input, textarea")].map(
        (field) => (field as HTMLInputElement).value,
      );
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

test("a new secret's dialog can't be closed before the secret is stored", async ({
  page,
  admin,
}) => {
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

  const opened = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  const question = await opened;
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

test("the form shows errors at their fields and warns of keys without an allowlist", async ({
  page,
  admin,
}) => {
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
  await expect(form.getByText(/^Choose a day until /)).toBeVisible();
  await form.getByText("Never").click();
  await form.getByRole("button", { name: "Create key" }).click();
  await shownCredential(page);
  const { items } = (await admin.call("GET", "")).json as { items: ApiKey[] };
  expect(items).toMatchObject([
    { expires_at: null, ip_allowlist: ["10.0.0.0/8", expect.stringMatching(/127|::1/)] },
  ]);
});

test("a retry after a lost response and a double click each create one key", async ({
  page,
  admin,
}) => {
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
  const answer = await api("GET", "/v1/reconciliations", {
    bearer: credential,
    tenant: admin.tenant,
  });
  expect(answer.status).toBe(200);
  expect(((await admin.call("GET", "")).json as { items: ApiKey[] }).items).toHaveLength(1);
});
