import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { expectAxeFindsNothing, PHONE } from "./soundness.ts";
import { test } from "./test.ts";

const STATEMENT = JSON.stringify({
  lines: [{ amount: "12.50", value_date: "2026-11-05", reference: "RG-1" }],
});

async function createSource(tenant: string): Promise<string> {
  const { json } = await api("POST", "/v1/sources", {
    bearer: await userToken(tenant, ["tenant_admin"]),
    tenant,
    body: { name: "Bank", kind: "bank_statement", currency: "EUR" },
  });
  return (json as { id: string }).id;
}

test("an admin connects a source, tests it and fetches a file, by keyboard on a phone", async ({
  page,
  context,
}) => {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === "Bearer right";
    response.writeHead(isKnown ? 200 : 401, { "last-modified": new Date(0).toUTCString() });
    response.end(isKnown && request.method === "GET" ? STATEMENT : undefined);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  try {
    const tenant = await createTenant();
    await beSignedIn(context, { [tenant]: ["tenant_admin"] }, "ada");
    await page.setViewportSize(PHONE);
    await page.goto(`/${tenant}/sources/${await createSource(tenant)}`);
    const section = page.getByRole("region", { name: "Connection" });
    await section.getByRole("button", { name: "Connect" }).press("Enter");
    const form = page.getByRole("dialog", { name: "Connection of Bank" });
    await form.getByLabel("HTTPS").press("Space");
    await form.getByLabel("Address").fill("https://10.0.0.1/a.json");
    await form.getByLabel("Token").fill("wrong");
    await form.getByLabel("Address").press("Enter");
    await expect(form.getByText(/isn't a public address/)).toBeVisible();
    await expectAxeFindsNothing(page);
    await form.getByLabel("Address").fill(`http://127.0.0.1:${port}/day.json`);
    await form.getByLabel("Address").press("Enter");
    await expect(form).toBeHidden();

    await section.getByRole("button", { name: "Test" }).press("Enter");
    await expect(section.getByText("The server refused the credential (HTTP 401).")).toBeVisible();
    await section.getByRole("button", { name: "Edit connection" }).press("Enter");
    await expect(form.getByLabel("Token")).toHaveValue("");
    await form.getByLabel("Token").fill("right");
    await form.getByLabel("Token").press("Enter");
    await expect(form).toBeHidden();
    await section.getByRole("button", { name: "Test" }).press("Enter");
    await expect(section.getByText("It works.")).toBeVisible();
    await expect(section.getByText("No files yet")).toBeVisible();

    await section.getByRole("button", { name: "Fetch now" }).press("Enter");
    await expect(section.getByRole("row", { name: /day\.json.*Imported/ })).toBeVisible({
      timeout: 30_000,
    });
    await expectAxeFindsNothing(page);
    await section.getByRole("button", { name: "Delete" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Delete connection" }).click();
    await expect(section.getByText("Not connected")).toBeVisible();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("an analyst sees the connection, but can't change it", async ({ page, context }) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] }, "ana");
  await page.goto(`/${tenant}/sources/${await createSource(tenant)}`);
  const section = page.getByRole("region", { name: "Connection" });
  await expect(section.getByText("An admin can connect it.")).toBeVisible();
  await expect(section.getByRole("button")).toHaveCount(0);
});
