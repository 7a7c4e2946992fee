import { expect, test } from "@playwright/test";
import { createTenant, stack, uniqueName } from "../fixtures.ts";
import { beSignedIn, report, signIn } from "./person.ts";

test("a person signs in by email and password and is on their tenant's board", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, "ada@acme.example");
  await expect(page).toHaveURL("/acme/exceptions");
  await expect(page.getByRole("heading", { name: "Exceptions" })).toBeVisible();
  await expect(page.getByRole("button", { name: /ada Admin$/ })).toBeVisible();
});

test("a wrong password is said to be wrong, and the email stays", async ({ page }) => {
  await page.goto("/sign-in");
  await signIn(page, "ada@acme.example", "not-the-password");
  await expect(page.getByRole("alert").filter({ hasText: "Incorrect email or password" })).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue("ada@acme.example");
  await signIn(page, "ada@acme.example");
  await expect(page).toHaveURL("/acme/exceptions");
});

test("signing in leads back to the page that was asked for", async ({ page }) => {
  await page.goto("/acme/exceptions?severity=critical");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, "ana@acme.example");
  await expect(page).toHaveURL("/acme/exceptions?severity=critical");
});

test.describe("signing in never leads to another origin", () => {
  for (const elsewhere of ["https://evil.example/acme", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    test(elsewhere, async ({ page }) => {
      await page.goto(`/sign-in?callbackUrl=${encodeURIComponent(elsewhere)}`);
      await signIn(page, "ada@acme.example");
      await expect(page).toHaveURL("/acme/exceptions");
    });
  }
});

test("signing out ends the session", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  await page.goto("/acme/exceptions");
  await page.getByRole("button", { name: /ada Admin$/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await page.goto("/acme/exceptions");
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
});

test("a person without a tenant is told what to do, and can sign out", async ({ page, context }) => {
  await beSignedIn(context, {}, "nora");
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "You're not a member of any tenant yet" })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
});

test("another tenant's pages do not exist", async ({ page, context }) => {
  await beSignedIn(context, { acme: ["tenant_admin"] });
  const response = await page.goto("/globex/exceptions");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

test.describe("without a session no form of request gets a tenant's data", () => {
  const forms: Record<string, Record<string, string>> = {
    "the page": {},
    "an RSC request": { RSC: "1" },
    "a prefetch": { RSC: "1", "Next-Router-Prefetch": "1" },
    "a request that pretends to be the proxy's own": { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
    "a session that is not ours": { Cookie: "tieout.session=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA" },
  };
  for (const [form, headers] of Object.entries(forms)) {
    test(form, async () => {
      const tenant = await createTenant();
      const title = uniqueName("secret");
      await report(tenant, { title, due_in_minutes: 30 });
      for (const path of [`/${tenant}/exceptions`, `/${tenant}/exceptions.rsc`, `/${tenant}/exceptions?_rsc=abc`]) {
        // Followed: Next sends an RSC request without its checksum on to one that has it.
        const answer = await fetch(`${stack.url}${path}`, { headers });
        const text = await answer.text();
        expect(text).not.toContain(title);
        expect(text).not.toContain(`Tenant ${tenant}`);
        expect([200, 404]).toContain(answer.status);
      }
    });
  }
});
