import type { Page } from "@playwright/test";
import { closeTop, dialog, inTurn, open, press, pressInDialog, says, type View } from "./view.ts";

const KEYS = { path: "/:world/api-keys", role: "tenant_admin" } as const;

const feed = inTurn(open("Bank feed"), (page) =>
  dialog(page).getByRole("heading", { name: "Usage" }).waitFor(),
);

async function fillIn(page: Page): Promise<void> {
  await dialog(page).getByLabel("Name").fill("Nightly ledger export");
  await dialog(page).getByRole("checkbox", { name: "read reconciliations" }).check();
}

const create = inTurn(fillIn, pressInDialog("Create key"), (page) =>
  page.getByRole("dialog", { name: / created$/ }).waitFor(),
);

export const API_KEYS: View[] = [
  { name: "API keys", ...KEYS },
  { name: "API keys with a longer past", path: "/acme/api-keys", role: "tenant_admin" },
  { name: "API keys, none", path: "/:empty/api-keys", role: "tenant_admin" },
  { name: "API keys, no match", path: "/:world/api-keys?q=zebra", role: "tenant_admin" },
  { name: "API keys, for admins only", path: "/:world/api-keys", role: "tenant_analyst" },
  { name: "a new API key", path: "/:world/api-keys?new=true", role: "tenant_admin" },
  {
    name: "a new API key, whole internet",
    path: "/:world/api-keys?new=true",
    role: "tenant_admin",
    arrange: async (page) => {
      await dialog(page).getByLabel("Allowed addresses").fill("0.0.0.0/0");
      await dialog(page).getByRole("button", { name: "Create key" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "a new API key, with errors",
    path: "/:world/api-keys?new=true",
    role: "tenant_admin",
    arrange: inTurn(pressInDialog("Create key"), says("Enter a name.")),
  },
  {
    name: "an API key's secret, held",
    path: "/:empty/api-keys?new=true",
    role: "tenant_admin",
    alone: true,
    arrange: inTurn(create, pressInDialog("Done"), says(/It can't be shown again/)),
  },
  {
    name: "an API key",
    ...KEYS,
    arrange: inTurn(feed, (page) =>
      page.getByRole("application", { name: /^Calls in the last 7 days/ }).waitFor(),
    ),
  },
  {
    name: "an API key, its calls as a table",
    ...KEYS,
    arrange: inTurn(feed, press("Show as table")),
  },
  {
    name: "an API key, revoked",
    path: "/acme/api-keys?status=revoked",
    role: "tenant_admin",
    arrange: open("Old SFTP bridge"),
  },
  {
    name: "an API key, rotating",
    ...KEYS,
    arrange: inTurn(open(/^Ledger$/), (page) =>
      dialog(page).getByRole("region", { name: "Rotation" }).waitFor(),
    ),
  },
  {
    name: "editing an API key",
    ...KEYS,
    arrange: inTurn(feed, pressInDialog("Edit"), (page) =>
      dialog(page).getByLabel("Name").waitFor(),
    ),
  },
  {
    name: "editing an API key, what it would refuse",
    ...KEYS,
    arrange: inTurn(
      feed,
      pressInDialog("Edit"),
      (page) => dialog(page).getByLabel("Allowed addresses").fill("192.0.2.1"),
      pressInDialog("Save"),
      (page) => dialog(page).getByRole("button", { name: "Save anyway" }).waitFor(),
    ),
  },
  {
    name: "revoking an API key, with errors",
    ...KEYS,
    arrange: inTurn(
      feed,
      pressInDialog("Revoke"),
      says("used this key in the last 7 days"),
      pressInDialog("Revoke key"),
      says("Enter a reason."),
    ),
  },
  {
    name: "rotating an API key",
    ...KEYS,
    arrange: inTurn(
      feed,
      pressInDialog("Rotate"),
      (page) => dialog(page).getByText("Now", { exact: true }).click(),
      says("used this key in the last 7 days"),
    ),
  },
  {
    name: "a session that has ended",
    path: "/:empty/api-keys?new=true",
    role: "tenant_admin",
    alone: true,
    answers: [401],
    arrange: async (page, context) => {
      await fillIn(page);
      await context.clearCookies({ name: /session/ });
      await pressInDialog("Create key")(page, context);
      await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    },
  },
];

const EVENTS = { path: "/:world/security-events", role: "tenant_admin" } as const;

export const SECURITY_EVENTS: View[] = [
  { name: "security events", ...EVENTS },
  {
    name: "security events, none",
    path: "/:empty/security-events?period=all",
    role: "tenant_admin",
  },
  {
    name: "security events, no match",
    path: "/:world/security-events?actor=user:nobody",
    role: "tenant_admin",
  },
  {
    name: "security events, for admins only",
    path: "/:world/security-events",
    role: "tenant_lead",
  },
  {
    name: "security events of a range",
    path: "/:world/security-events?period=custom",
    role: "tenant_admin",
  },
  {
    name: "security events, exporting",
    ...EVENTS,
    arrange: inTurn(press("Export"), says("CSV, for spreadsheets")),
  },
  {
    name: "security events, verified",
    ...EVENTS,
    arrange: inTurn(press("Verify"), says(/Audit log intact/)),
    arrangeOnPhone: closeTop,
  },
  {
    name: "a security event",
    ...EVENTS,
    arrange: inTurn(open("Changed an API key"), says("Before and after"), (page) =>
      page.getByText("Audit log entry").click(),
    ),
  },
  {
    name: "a security event across tenants",
    ...EVENTS,
    arrange: inTurn(open("Called with the service-role key"), says("Support case 118")),
  },
];
