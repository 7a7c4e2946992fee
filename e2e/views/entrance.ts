import { button, dialog, press, says, type View } from "./view.ts";

/** Before signing in, and where access is denied. */
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
  { name: "sign-in after a new password", path: "/sign-in?notice=password-set" },
  { name: "forgot the password", path: "/sign-in/forgot" },
  {
    name: "forgot the password, asked",
    path: "/sign-in/forgot",
    arrange: async (page) => {
      await page.getByLabel("Email").fill("nobody@mail.example");
      await button(page, "Send link").click();
      await page.getByText("is on its way").waitFor();
    },
  },
  { name: "a new password", path: "/sign-in/reset" },
  { name: "a new password, too short", path: "/sign-in/reset", arrange: press("Set password") },
  {
    name: "an invitation that is over",
    path: `/sign-in/invitation#${"x".repeat(43)}`,
    arrange: says(/was revoked/),
    answers: [404],
  },
  { name: "no tenant", path: "/", role: "stranger" },
  { name: "not found", path: "/nowhere/at-all", role: "tenant_admin", answers: [404] },
  { name: "not found in a tenant", path: "/acme/nowhere", role: "tenant_admin", answers: [404] },
  { name: "not a member", path: "/globex/exceptions", role: "tenant_admin", answers: [404] },
];

const invite = async (page: Parameters<NonNullable<View["arrange"]>>[0]): Promise<void> => {
  await dialog(page).getByLabel("Email").fill("nia@mail.example");
  await dialog(page).getByRole("button", { name: "Send invitation" }).click();
  await page.getByRole("heading", { name: "Invitations" }).waitFor();
};

/** Who may come in. */
export const MEMBERS: View[] = [
  { name: "members", path: "/acme/members", role: "tenant_admin" },
  { name: "members, no match", path: "/acme/members?q=zebra", role: "tenant_admin" },
  { name: "members, for admins only", path: "/acme/members", role: "tenant_analyst" },
  { name: "inviting someone", path: "/acme/members?invite=true", role: "tenant_admin" },
  {
    name: "members and an invitation",
    path: "/:empty/members?invite=true",
    role: "tenant_admin",
    alone: true,
    arrange: invite,
  },
  {
    name: "removing a member",
    path: "/acme/members?q=ana",
    role: "tenant_admin",
    arrange: async (page) => {
      await button(page, "Actions for ana").click();
      await page.getByRole("menuitem", { name: "Remove from tenant" }).click();
      await dialog(page).getByLabel("Reason").waitFor();
    },
  },
];
