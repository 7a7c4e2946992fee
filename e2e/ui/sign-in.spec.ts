import { expect } from "@playwright/test";
import { beSignedIn, enter, signIn } from "./person.ts";
import { test } from "./test.ts";

test("a person signs in by email and password and is on their tenant's overview", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, "ada@acme.example");
  await expect(page).toHaveURL("/acme");
  await expect(page.getByRole("heading", { name: "Overview", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /ada Admin$/ })).toBeVisible();
});

test("a wrong password shows an error, and keeps the email", async ({ page }) => {
  await page.goto("/sign-in");
  await signIn(page, "ada@acme.example", "not-the-password");
  await expect(
    page.getByRole("alert").filter({ hasText: "Incorrect email or password" }),
  ).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue("ada@acme.example");
  await signIn(page, "ada@acme.example");
  await expect(page).toHaveURL("/acme");
});

test("signing in returns to the requested page", async ({ page }) => {
  await page.goto("/acme/exceptions?severity=critical");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, "ana@acme.example");
  await expect(page).toHaveURL("/acme/exceptions?severity=critical");
});

test("times use the browser's zone after signing in, until the person chooses UTC", async ({
  page,
  context,
}) => {
  const timeZone = async () =>
    (await context.cookies()).find(({ name }) => name === "tieout.time-zone")?.value;
  const menu = page.getByRole("button", { name: /ada Admin$/ });
  await page.goto("/acme/profile");
  await enter(page, "ada@acme.example");
  await expect(page.getByText("Europe/Berlin (this browser)")).toBeVisible();
  await menu.click();
  await page.getByRole("menuitemradio", { name: "UTC" }).click();
  await menu.click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await enter(page, "ada@acme.example");
  expect(await timeZone()).toBe("UTC");
});

test.describe("signing in never redirects to another origin", () => {
  for (const elsewhere of [
    "https://evil.example/acme",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
  ]) {
    test(elsewhere, async ({ page }) => {
      await page.goto(`/sign-in?callbackUrl=${encodeURIComponent(elsewhere)}`);
      await signIn(page, "ada@acme.example");
      await expect(page).toHaveURL("/acme");
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

test("a person without a tenant sees what to do, and can sign out", async ({ page, context }) => {
  await beSignedIn(context, {}, "nora");
  await page.goto("/");
  await expect(
    page.getByRole("heading", { name: "You're not a member of any tenant yet" }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
});
