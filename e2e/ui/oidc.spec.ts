import { once } from "node:events";
import type { Server } from "node:http";
import { expect } from "@playwright/test";
import { Provider } from "oidc-provider";
import { stack } from "../fixtures.ts";
import { test } from "./test.ts";

const {
  OIDC_CORP_ISSUER: issuer,
  OIDC_CORP_CLIENT_ID: clientId,
  OIDC_CORP_CLIENT_SECRET: clientSecret,
} = process.env;

/** A real OpenID provider: the user `olga` is a lead of acme. */
async function startProvider(): Promise<Server> {
  const provider = new Provider(issuer as string, {
    clients: [
      {
        client_id: clientId as string,
        client_secret: clientSecret as string,
        redirect_uris: [`${stack.url}/api/auth/callback/corp`],
      },
    ],
    claims: { openid: ["sub"], email: ["email"], profile: ["preferred_username", "tenants"] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({
        sub: `corp|${accountId}`,
        email: `${accountId}@corp.example`,
        preferred_username: accountId,
        ...(accountId === "olga" && { tenants: { acme: ["tenant_lead"] } }),
      }),
    }),
  });
  const server = provider.listen(Number(new URL(issuer as string).port));
  await once(server, "listening");
  return server;
}

test.describe.configure({ mode: "serial" });

let server: Server;
test.beforeAll(async () => {
  server = await startProvider();
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function signInAtProvider(page: import("@playwright/test").Page, login: string) {
  await page.getByRole("button", { name: "Continue with Corp" }).click();
  await page.waitForURL((url) => url.origin === issuer);
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

test("a person who signs in at an OpenID provider has the tenants that it grants", async ({
  page,
}) => {
  await page.goto("/acme/exceptions?severity=high");
  await signInAtProvider(page, "olga");
  await expect(page).toHaveURL("/acme/exceptions?severity=high");
  await expect(page.getByRole("button", { name: /olga Lead$/ })).toBeVisible();
  await expect(page.locator("tr[data-id]").first()).toBeVisible();
});

test("a person without a tenant at the provider has none here", async ({ page }) => {
  await page.goto("/acme/exceptions");
  await signInAtProvider(page, "otto");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.goto("/");
  await expect(
    page.getByRole("heading", { name: "You're not a member of any tenant yet" }),
  ).toBeVisible();
});

test("a person who cancels at the provider sees why and can try again", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Continue with Corp" }).click();
  await page.waitForURL((url) => url.origin === issuer);
  await page.getByRole("link", { name: "[ Cancel ]" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Couldn't sign you in" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Continue with Corp" })).toBeEnabled();
});
