/** Every page and state that the dashboard and the docs have, and how one gets there. */
import { type BrowserContext, expect, type Page } from "@playwright/test";
import { api, sql, userToken } from "#e2e/fixtures.ts";
import { beSignedIn, keep, report } from "#e2e/ui/person.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { SECRET } from "#e2e/webhooks/subscriber.ts";
import type { ApiKey, NewApiKey } from "#lib/api-keys/contract.ts";
import type { EventKind } from "#lib/events/contract.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import type { Role } from "#lib/wire/access.ts";

/** `as`: the role of who looks, null for nobody. `begin`: before the page is opened, `arrange`: after. */
export type View = {
  path: string;
  as?: Role | null;
  begin?: (page: Page, context: BrowserContext) => Promise<void>;
  arrange?: (page: Page, context: BrowserContext) => Promise<void>;
};

export const TENANT = "acme";
export const EMPTY = "newcomer";

const dialog = (page: Page) => page.getByRole("dialog").last();
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).filter({ visible: true }).first();
const first = (page: Page) => page.getByRole("row").getByRole("link").first();

async function openFirst(page: Page): Promise<void> {
  await first(page).click();
  await page.getByRole("dialog").getByRole("heading").first().waitFor();
}

const openNamed = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole("row").getByRole("link", { name }).first().click();
  await page.getByRole("dialog").getByRole("heading").first().waitFor();
};

const press = (...names: (string | RegExp)[]) =>
  async function pressAll(page: Page) {
    for (const name of names) await button(page, name).click();
  };

const fill = (text: string) => async (page: Page) => {
  await page.getByRole("combobox").fill(text);
  await page.getByRole("option").first().waitFor();
};

async function openMenu(page: Page): Promise<void> {
  const opener = page.getByRole("button", { name: "Open navigation" });
  if (await opener.isVisible()) await opener.click();
}

async function then(page: Page, ...steps: ((page: Page) => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) await step(page);
}

const answersWith = (status: number, code: string, detail: string) => async (page: Page) => {
  await page.route(
    (url) => url.pathname.startsWith("/v1/"),
    (route) =>
      route.fulfill({
        status,
        contentType: "application/problem+json",
        json: { code, status, detail, request_id: "req_2f1c0d9be7a84c5f9a3e6b7d8c9f0a10" },
      }),
  );
};

async function openAct(page: Page, act: string): Promise<void> {
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: act }).click();
}

const webhookAct = (url: string, act: string): View => ({
  path: `/${TENANT}/webhooks`,
  arrange: (page) =>
    then(
      page,
      () => page.getByRole("row").getByRole("link", { name: url }).click(),
      () => page.waitForURL(/whk_/),
      (one) => openAct(one, act),
      (one) => dialog(one).getByRole("heading").first().waitFor(),
    ),
});

const webhookOf = (url: string, ...steps: ((page: Page) => Promise<unknown>)[]): View => ({
  path: `/${TENANT}/webhooks`,
  arrange: (page) =>
    then(
      page,
      () => page.getByRole("row").getByRole("link", { name: url }).click(),
      () => page.waitForURL(/whk_/),
      ...steps,
    ),
});

const importing = (text: string) => async (page: Page) => {
  await page.getByLabel("Choose a file").setInputFiles({ name: "october-feed.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
};

async function ending(page: Page, context: BrowserContext): Promise<void> {
  await button(page, "Create key").click();
  await dialog(page).getByLabel("Name").fill("Nightly export");
  await dialog(page).getByRole("checkbox", { name: "read reconciliations" }).check();
  await context.clearCookies({ name: /session/ });
  await dialog(page).getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
}

const records = (surface: string): Record<string, View> => ({
  [surface]: { path: `/${TENANT}/${surface}` },
  [`${surface}-analyst`]: { path: `/${TENANT}/${surface}`, as: "tenant_analyst", arrange: openFirst },
  [`${surface}-record`]: { path: `/${TENANT}/${surface}`, arrange: openFirst },
  [`${surface}-new`]: { path: `/${TENANT}/${surface}?record=new` },
  [`${surface}-empty`]: { path: `/${EMPTY}/${surface}` },
});

const adminOnly = (path: string): Record<string, View> => ({
  [`${path}-analyst`]: { path: `/${TENANT}/${path}`, as: "tenant_analyst" },
});

export const VIEWS: Record<string, View> = {
  "sign-in": { path: "/sign-in", as: null },
  "sign-in-refused": {
    path: "/sign-in",
    as: null,
    arrange: async (page) => {
      await page.getByLabel("Email").fill("ada@acme.example");
      await page.getByLabel("Password").fill("not-the-password");
      await button(page, "Sign in").click();
      await page.getByRole("alert").filter({ hasText: /./ }).first().waitFor();
    },
  },
  "not-found": { path: `/${TENANT}/nowhere` },
  "not-a-member": { path: "/globex/exceptions" },

  board: { path: `/${TENANT}/exceptions` },
  "board-empty": { path: `/${EMPTY}/exceptions` },
  "board-no-match": { path: `/${TENANT}/exceptions?assigned_to=user:nobody` },
  "board-filtered": { path: `/${TENANT}/exceptions?breach_risk=at_risk&severity=critical&status=open&sortBy=severity` },
  "board-charts": {
    path: `/${TENANT}/exceptions?charts=true`,
    arrange: (page) => page.getByRole("application", { name: /^Breaches per day/ }).waitFor(),
  },
  "board-charts-tables": {
    path: `/${TENANT}/exceptions?charts=true`,
    arrange: async (page) => {
      await page.getByRole("application", { name: /^Breaches per day/ }).waitFor();
      for (const summary of await page.getByText("Show as table").all()) await summary.click();
    },
  },
  "board-filter-menu": { path: `/${TENANT}/exceptions`, arrange: press(/^Filter by Assignee/) },
  "board-more": { path: `/${TENANT}/exceptions`, arrange: press("More") },
  "board-selection": {
    path: `/${TENANT}/exceptions`,
    arrange: async (page) => {
      for (const at of [1, 2, 3])
        await page
          .getByRole("row")
          .getByRole("checkbox", { name: /^Select (?!all)/ })
          .nth(at)
          .check();
      await page.getByRole("region", { name: "Selected exceptions" }).waitFor();
    },
  },
  "board-close-in-bulk": {
    path: `/${TENANT}/exceptions`,
    arrange: async (page) => {
      for (const at of [1, 2, 3])
        await page
          .getByRole("row")
          .getByRole("checkbox", { name: /^Select (?!all)/ })
          .nth(at)
          .check();
      await page.getByRole("region", { name: "Selected exceptions" }).getByRole("button", { name: "Status" }).click();
      await page.getByRole("menuitem", { name: /Resolved/ }).click();
      await dialog(page).getByLabel("Resolution").waitFor();
    },
  },
  "board-refused": { path: `/${TENANT}/exceptions`, begin: answersWith(503, "unavailable", "The database is unavailable right now.") },
  "board-offline": {
    path: `/${TENANT}/exceptions`,
    arrange: async (_, context) => {
      await context.setOffline(true);
    },
  },
  exception: { path: `/${TENANT}/exceptions`, arrange: openFirst },
  "exception-assigning": {
    path: `/${TENANT}/exceptions`,
    arrange: async (page) => {
      await openFirst(page);
      await dialog(page)
        .getByRole("button", { name: /^Assignee/ })
        .click();
      await page.getByRole("option").first().waitFor();
    },
  },
  "exception-history": {
    path: `/${TENANT}/exceptions`,
    arrange: async (page) => {
      await openFirst(page);
      for (const title of ["History", "SLA timeline"]) await dialog(page).getByText(title, { exact: true }).click();
      await dialog(page).getByRole("table").waitFor();
      await dialog(page).getByText("SLA timeline", { exact: true }).scrollIntoViewIfNeeded();
    },
  },
  import: { path: `/${TENANT}/exceptions/import` },
  "import-chosen": { path: `/${TENANT}/exceptions/import`, arrange: importing("title,severity\nFee 31 is unknown,low\n") },
  "import-report": {
    path: `/${EMPTY}/exceptions/import`,
    arrange: async (page) => {
      await importing("title,severity,due_at\n,low,\nPayout 88 differs,urgent,\nFee 31 is unknown,low,yesterday\n")(page);
      await button(page, "Start import").click();
      await page.getByRole("region", { name: "Rejected rows" }).waitFor();
    },
  },
  "sla-policy": { path: `/${TENANT}/sla-policy` },
  "sla-policy-review": {
    path: `/${TENANT}/sla-policy`,
    arrange: async (page) => {
      await page.getByRole("textbox", { name: "High" }).fill("6");
      await button(page, "Review changes").click();
      await dialog(page).getByRole("table").waitFor();
    },
  },
  "sla-policy-analyst": { path: `/${TENANT}/sla-policy`, as: "tenant_analyst" },

  reconciliations: { path: `/${TENANT}/reconciliations` },
  "reconciliations-empty": { path: `/${EMPTY}/reconciliations` },
  "reconciliations-analyst": { path: `/${TENANT}/reconciliations`, as: "tenant_analyst" },
  "reconciliation-new": { path: `/${TENANT}/reconciliations?new=true` },
  reconciliation: {
    path: `/${TENANT}/reconciliations`,
    arrange: async (page) => {
      await first(page).click();
      await page.waitForURL(/reconciliations\/rcn_/);
    },
  },

  ...records("integrations"),
  ...records("troubleshooting"),
  ...records("release-notes"),
  "record-json": {
    path: `/${TENANT}/integrations`,
    arrange: async (page) => {
      await openFirst(page);
      await dialog(page).getByText("JSON", { exact: true }).click();
      await page.getByLabel("All fields").waitFor();
    },
  },
  bin: { path: `/${TENANT}/integrations?view=bin` },
  "bin-record": { path: `/${TENANT}/integrations?view=bin`, arrange: openFirst },
  "bin-empty": { path: `/${EMPTY}/integrations?view=bin` },
  "records-no-match": { path: `/${TENANT}/integrations?q=zebra` },

  "api-keys": { path: `/${TENANT}/api-keys` },
  "api-keys-empty": { path: `/${EMPTY}/api-keys` },
  "api-keys-no-match": { path: `/${TENANT}/api-keys?q=zebra` },
  ...adminOnly("api-keys"),
  "key-create": { path: `/${TENANT}/api-keys?new=true` },
  "key-create-end": {
    path: `/${TENANT}/api-keys?new=true`,
    arrange: async (page) => {
      await dialog(page).getByLabel("Allowed addresses").fill("0.0.0.0/0");
      await dialog(page).getByRole("button", { name: "Create key" }).scrollIntoViewIfNeeded();
    },
  },
  "key-create-refused": {
    path: `/${TENANT}/api-keys?new=true`,
    arrange: (page) => dialog(page).getByRole("button", { name: "Create key" }).click(),
  },
  "key-reveal": {
    path: `/${EMPTY}/api-keys?new=true`,
    arrange: async (page) => {
      await dialog(page).getByLabel("Name").fill("Nightly ledger export");
      await dialog(page).getByRole("checkbox", { name: "read reconciliations" }).check();
      await dialog(page).getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog", { name: /is created/ }).waitFor();
      await dialog(page).getByRole("button", { name: "Done" }).click();
    },
  },
  key: { path: `/${TENANT}/api-keys`, arrange: openNamed("Bank feed importer") },
  "key-usage": {
    path: `/${TENANT}/api-keys`,
    arrange: async (page) => {
      await openNamed("Bank feed importer")(page);
      await button(page, "Show as table").click();
      await dialog(page).getByRole("table").first().scrollIntoViewIfNeeded();
    },
  },
  "key-revoked": { path: `/${TENANT}/api-keys?status=revoked`, arrange: openNamed("Old SFTP bridge") },
  "key-rotating": { path: `/${TENANT}/api-keys?status=rotating`, arrange: openFirst },
  "key-edit": { path: `/${TENANT}/api-keys`, arrange: (page) => then(page, openNamed("Bank feed importer"), press("Edit")) },
  "key-rotate": { path: `/${TENANT}/api-keys`, arrange: (page) => then(page, openNamed("Bank feed importer"), press("Rotate")) },
  "key-revoke": {
    path: `/${TENANT}/api-keys`,
    arrange: (page) => then(page, openNamed("Bank feed importer"), press("Revoke"), () => page.getByText("By operation").waitFor()),
  },

  webhooks: { path: `/${TENANT}/webhooks` },
  "webhooks-empty": { path: `/${EMPTY}/webhooks` },
  "webhooks-no-match": { path: `/${EMPTY}/webhooks?status=disabled` },
  ...adminOnly("webhooks"),
  "webhook-register": { path: `/${TENANT}/webhooks?new=true` },
  "webhook-register-end": {
    path: `/${TENANT}/webhooks?new=true`,
    arrange: async (page) => {
      await dialog(page).getByLabel("URL").fill("https://hooks.example.com/tieout");
      await dialog(page).getByRole("button", { name: "Register webhook" }).click();
      await dialog(page).getByText("I've stored it").scrollIntoViewIfNeeded();
    },
  },
  webhook: webhookOf("/ledger"),
  "webhook-end": webhookOf("/ledger", (page) => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))),
  "webhook-failing": webhookOf("/desk"),
  "webhook-disabled": webhookOf("/archive"),
  delivery: webhookOf("/ledger", openNamed(/exception\.created|webhook\.test/)),
  "delivery-failed": webhookOf("/desk", openNamed(/exception\.created|webhook\.test/), async (page) => {
    await dialog(page).getByText("Response", { exact: true }).first().click();
  }),
  "webhook-more": webhookOf("/ledger", press("More actions")),
  "webhook-verify": webhookOf("/ledger", press("Verify signatures"), (page) =>
    dialog(page).getByRole("region", { name: "verify.mjs" }).waitFor(),
  ),
  "webhook-edit": webhookOf("/ledger", press("Edit")),
  "webhook-rotate": webhookAct("/ledger", "Rotate signing secret"),
  "webhook-recover": webhookAct("/desk", "Recover missed deliveries"),
  "webhook-disable": webhookAct("/ledger", "Disable"),
  "webhook-delete": webhookAct("/ledger", "Delete"),
  "webhook-enable": webhookOf("/archive", press("Enable")),

  "security-events": { path: `/${TENANT}/security-events` },
  "security-event": { path: `/${TENANT}/security-events`, arrange: openFirst },
  "security-events-verified": {
    path: `/${TENANT}/security-events`,
    arrange: (page) => then(page, press("Verify"), () => page.getByText(/Verified up to/).waitFor()),
  },
  "security-events-export": { path: `/${TENANT}/security-events`, arrange: press(/Export/) },
  "security-events-period": { path: `/${TENANT}/security-events?period=custom` },
  "security-events-no-match": { path: `/${TENANT}/security-events?actor=user:nobody` },
  ...adminOnly("security-events"),

  "first-steps": { path: `/${EMPTY}/reconciliations`, arrange: openMenu },
  palette: { path: `/${TENANT}/exceptions`, arrange: press("Search or jump to") },
  "palette-found": { path: `/${TENANT}/exceptions`, arrange: (page) => then(page, press("Search or jump to"), fill("pay")) },
  "palette-nothing": {
    path: `/${TENANT}/exceptions`,
    arrange: async (page) => {
      await button(page, "Search or jump to").click();
      await page.getByRole("combobox").fill("zebra");
      await page.getByText(/Nothing is called/).waitFor();
    },
  },
  shortcuts: {
    path: `/${TENANT}/exceptions`,
    arrange: async (page) => {
      await expect(async () => {
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ timeout: 2000 });
      }).toPass();
    },
  },
  menu: {
    path: `/${TENANT}/exceptions`,
    arrange: (page) => then(page, openMenu, press(/^Account and preferences/)),
  },
  tenants: { path: `/${TENANT}/exceptions`, arrange: (page) => then(page, openMenu, press(/^Switch tenant/)) },
  "session-ended": { path: `/${TENANT}/api-keys`, arrange: ending },

  updates: { path: `/${TENANT}/updates`, as: null },
  "updates-empty": { path: `/${EMPTY}/updates`, as: null },

  docs: { path: "/docs", as: null },
  "docs-navigation": { path: "/docs/guides/webhooks", as: null, arrange: openMenu },
  "docs-search": { path: "/docs", as: null, arrange: (page) => then(page, press(/^Search/), fill("rotate")) },
  "docs-guides": { path: "/docs/guides", as: null },
  "docs-guide": { path: "/docs/guides/quickstart", as: null },
  "docs-guide-tables": { path: "/docs/guides/credentials", as: null },
  "docs-guide-webhooks": { path: "/docs/guides/webhooks", as: null },
  "docs-reference": { path: "/docs/reference", as: null },
  "docs-resource": { path: "/docs/reference/api-keys", as: null },
  "docs-operation": { path: "/docs/reference/api-keys/create-api-key", as: null },
  "docs-operation-get": { path: "/docs/reference/sla-monitor/list-sla-exceptions", as: null },
  "docs-events": { path: "/docs/reference/events", as: null },
  "docs-event": { path: "/docs/reference/events/exception.sla.breached", as: null },
  "docs-errors": { path: "/docs/errors", as: null },
  "docs-error": { path: "/docs/errors/idempotency_mismatch", as: null },
  "docs-not-found": { path: "/docs/nowhere", as: null },
  design: { path: "/design", as: null },
};

/** Signs in as who looks: a member of the seeded tenant and of the empty one. */
export async function enter(context: BrowserContext, role: Role | null): Promise<void> {
  if (role) await beSignedIn(context, { [TENANT]: [role], [EMPTY]: [role] }, role === "tenant_admin" ? "ada" : "ana");
}

/** What the views show and the seed does not have: an empty tenant, webhooks with a past, a rotation, a record with all there is. */
export async function prepare(): Promise<void> {
  const [known] = await sql("select 1 from public.tenants where id = $1", [EMPTY]);
  if (known) return;
  await sql("select private.create_tenant($1, $2)", [EMPTY, "Newcomer Ltd"]);
  const bearer = await userToken(TENANT, ["tenant_admin"]);
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const { status, json, text } = await api(method, path, { bearer, tenant: TENANT, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json as Answer;
  };
  const receiver = await Receiver.start();
  const events: EventKind[] = ["exception.created", "exception.updated", "exception.sla.at_risk", "exception.sla.breached"];
  const register = (path: string, description: string | null) =>
    call<Webhook>("POST", "/v1/webhooks", { url: receiver.url(path), description, events, secret: SECRET });
  await receiver.behave("/ledger", { status: 200, body: '{"received": true}', headers: { "content-type": "application/json" } });
  await receiver.behave("/desk", { status: 401, body: '{"error": "bad signature"}' });
  const ledger = await register("/ledger", "Books what was settled");
  const desk = await register("/desk", null);
  const archive = await register("/archive", "Copies to cold storage, which nobody has looked at since the move");
  await call("PATCH", `/v1/webhooks/${archive.id}`, { status: "disabled", reason: "The archive moves to another host." });
  for (const n of [1, 2, 3, 4]) await report(TENANT, { title: `Payout ${4710 + n} has no bank line`, due_in_minutes: 200 * n });
  await call("POST", `/v1/webhooks/${ledger.id}/test`);
  await until("the deliveries were tried", async () => {
    const [{ tried } = { tried: 0 }] = await sql<{ tried: number }>(
      "select count(*)::integer as tried from public.webhook_deliveries where webhook_id = any ($1) and attempt_count > 0 and lease is null",
      [[ledger.id, desk.id]],
    );
    return tried >= 9;
  });
  await receiver.stop();
  const { items } = await call<{ items: ApiKey[] }>("GET", `/v1/tenants/${TENANT}/api-keys?q=Nightly`);
  await call<NewApiKey>("POST", `/v1/tenants/${TENANT}/api-keys/${items[0]?.id}/rotate`, { grace_period_seconds: 86_400 });
  await keep(TENANT, "integrations", {
    name: "A connection whose name is longer than most columns have room for, as names tend to be",
    provider: "sap",
    status: "failing",
    config: { host: "sap-gateway.internal.acme.example", company_codes: ["1000", "1010", "2000"], schedule: "every 15 minutes" },
    owner: "Treasury operations",
  });
}
