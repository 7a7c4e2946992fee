import { button, type View } from "./view.ts";

/** Before one is in, and where one may not go. */
export const ENTRANCE: View[] = [
  { name: "sign-in", path: "/sign-in" },
  { name: "sign-in after an error", path: "/sign-in?error=OAuthCallback" },
  {
    name: "sign-in refused",
    path: "/sign-in",
    answers: [401],
    arrange: async (page) => {
      await page.getByLabel("Email").fill("ada@acme.example");
      await page.getByLabel("Password").fill("not-the-password");
      await button(page, "Sign in").click();
      await page.getByRole("alert").filter({ hasText: /./ }).first().waitFor();
    },
  },
  { name: "no tenant", path: "/", role: "stranger" },
  { name: "not found", path: "/nowhere/at-all", role: "tenant_admin", answers: [404] },
  { name: "not found in a tenant", path: "/acme/nowhere", role: "tenant_admin", answers: [404] },
  { name: "not a member", path: "/globex/exceptions", role: "tenant_admin", answers: [404] },
];
