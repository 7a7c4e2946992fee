import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { api, createTenant, stack, userToken } from "../fixtures.ts";
import { beSignedIn, keep, reconcile, report, rowOf } from "./person.ts";
import { complaintsOf, expectSoundInBothThemes, WIDTHS } from "./soundness.ts";

const MARKDOWN =
  "# Heading\n\nText with **weight**, `code` and a [link](https://example.com).\n\n- One\n- Two\n\n> Said\n\n```\ncurl\n```\n";

const SCRIPT_MAX_BYTES = 250_000;

type View = {
  name: string;
  path: string;
  role?: "tenant_admin" | "tenant_lead";
  prepare?: (tenant: string) => Promise<void>;
  arrange?: (page: Page) => Promise<void>;
};

const VIEWS: View[] = [
  { name: "sign-in", path: "/sign-in" },
  { name: "sign-in after an error", path: "/sign-in?error=OAuthCallback" },
  { name: "no tenant", path: "/" },
  { name: "not found", path: "/nowhere/at-all", role: "tenant_admin" },
  { name: "board", path: "/:tenant/exceptions", role: "tenant_admin" },
  { name: "board with nothing that matches", path: "/:tenant/exceptions?assigned_to=user:nobody", role: "tenant_admin" },
  {
    name: "board with its charts",
    path: "/:tenant/exceptions?charts=true",
    role: "tenant_admin",
    arrange: async (page) => {
      await expect(page.getByRole("application", { name: /^Breaches per day/ })).toBeVisible();
      for (const summary of await page.getByText("Show as table").all()) await summary.click();
    },
  },
  {
    name: "board with a selection",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await expect(async () => {
        await rowOf(page, "high").getByRole("checkbox").check({ timeout: 1000 });
      }).toPass();
      await page.getByRole("region", { name: "Selected exceptions" }).getByRole("button", { name: "Assign" }).click();
      await expect(page.getByRole("option", { name: "Unassigned" })).toBeVisible();
    },
  },
  {
    name: "assignees of an exception",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "high").getByRole("link").click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Assignee/ })
        .click();
      await page.getByRole("combobox", { name: "Assignee" }).fill("zo e");
      await expect(page.getByText("Names can't contain spaces.")).toBeVisible();
    },
  },
  { name: "SLA policy", path: "/:tenant/sla-policy", role: "tenant_admin" },
  {
    name: "SLA policy, reviewed",
    path: "/:tenant/sla-policy",
    role: "tenant_admin",
    arrange: async (page) => {
      await page.getByRole("textbox", { name: "High" }).fill("6");
      await page.getByRole("button", { name: "Review changes" }).click();
      await expect(page.getByRole("dialog").getByRole("table")).toBeVisible();
    },
  },
  { name: "import", path: "/:tenant/exceptions/import", role: "tenant_admin" },
  {
    name: "import with refused lines",
    path: "/:tenant/exceptions/import",
    role: "tenant_admin",
    arrange: async (page) => {
      const buffer = Buffer.from("title,severity\nGood,low\nBad,urgent\n");
      await page.getByLabel("Choose a file").setInputFiles({ name: "feed.csv", mimeType: "text/csv", buffer });
      await page.getByRole("button", { name: "Start import" }).click();
      await expect(page.getByRole("region", { name: "Rejected rows" })).toBeVisible();
    },
  },
  { name: "empty board", path: "/:empty/exceptions", role: "tenant_admin" },
  { name: "API keys without any", path: "/:tenant/api-keys", role: "tenant_admin" },
  {
    name: "security event",
    path: "/:tenant/security-events",
    role: "tenant_admin",
    prepare: async (tenant) => {
      const bearer = await userToken(tenant, ["tenant_admin"]);
      const created = await api("POST", `/v1/tenants/${tenant}/api-keys`, {
        bearer,
        tenant,
        body: { name: "A", scopes: ["read:exceptions"] },
      });
      const { id } = created.json as { id: string };
      await api("PATCH", `/v1/tenants/${tenant}/api-keys/${id}`, { bearer, tenant, body: { name: "B" } });
      await api("GET", "/v1/me", { bearer: stack.secretKey, tenant, headers: { "X-Audit-Reason": "Support case 118" } });
    },
    arrange: async (page) => {
      await page.getByRole("link", { name: "Changed an API key" }).click();
      await expect(page.getByText("Before and after")).toBeVisible();
    },
  },
  { name: "security events", path: "/:tenant/security-events", role: "tenant_admin" },
  { name: "no security events", path: "/:empty/security-events?period=all", role: "tenant_admin" },
  { name: "security events for admins only", path: "/:tenant/security-events", role: "tenant_lead" },
  { name: "API keys with nothing that matches", path: "/:tenant/api-keys?q=nothing", role: "tenant_admin" },
  {
    name: "filter menu",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await page.getByRole("button", { name: "Filter by severity" }).click();
      await expect(page.getByRole("menuitemradio", { name: "Critical" })).toBeVisible();
    },
  },
  {
    name: "exception",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "breached").getByRole("link").click();
      await expect(page.getByRole("dialog").getByLabel("Resolution")).toBeVisible();
    },
  },
  { name: "records", path: "/:tenant/integrations", role: "tenant_admin" },
  { name: "records with nothing that matches", path: "/:tenant/integrations?q=nowhere", role: "tenant_admin" },
  { name: "no records", path: "/:empty/release-notes", role: "tenant_admin" },
  { name: "bin", path: "/:tenant/integrations?view=bin", role: "tenant_admin" },
  { name: "new record", path: "/:tenant/integrations?record=new", role: "tenant_admin" },
  {
    name: "record",
    path: "/:tenant/release-notes",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "Faster matching").getByRole("link").click();
      await expect(page.getByRole("dialog").getByLabel("Title")).toHaveValue("Faster matching");
    },
  },
  {
    name: "record as JSON",
    path: "/:tenant/integrations",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "Stripe payouts").getByRole("link").click();
      await page.getByRole("dialog").getByText("JSON", { exact: true }).click();
      await expect(page.getByLabel("All fields")).toBeVisible();
    },
  },
  { name: "reconciliations", path: "/:tenant/reconciliations", role: "tenant_admin" },
  { name: "no reconciliations", path: "/:empty/reconciliations", role: "tenant_admin" },
  { name: "new reconciliation", path: "/:tenant/reconciliations?new=true", role: "tenant_admin" },
  {
    name: "reconciliation",
    path: "/:tenant/reconciliations",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "Payouts to bank").getByRole("link").click();
      await expect(rowOf(page, "breached")).toBeVisible();
    },
  },
  { name: "webhooks", path: "/:tenant/webhooks", role: "tenant_admin" },
  { name: "webhooks with nothing that matches", path: "/:tenant/webhooks?status=disabled", role: "tenant_admin" },
  { name: "no webhooks", path: "/:empty/webhooks", role: "tenant_admin" },
  { name: "webhook", path: "/:tenant/webhooks/:webhook", role: "tenant_admin" },
  { name: "updates", path: "/:tenant/updates" },
  { name: "no updates", path: "/:empty/updates" },
  {
    name: "exception with its history and clock",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "breached").getByRole("link").click();
      for (const title of ["History", "SLA timeline"]) await page.getByRole("dialog").getByText(title, { exact: true }).click();
      await expect(page.getByRole("dialog").getByRole("list", { name: "History" })).toBeVisible();
      await expect(page.getByRole("dialog").getByRole("table")).toBeVisible();
    },
  },
  {
    name: "palette",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await page.getByRole("button", { name: "Search or jump to" }).filter({ visible: true }).click();
      await page.getByRole("combobox").fill("pay");
      await expect(page.getByRole("option", { name: "Payouts to bank" })).toBeVisible();
    },
  },
  {
    name: "shortcuts",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await expect(async () => {
        await page.keyboard.press("?");
        await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible({ timeout: 2000 });
      }).toPass();
    },
  },
  {
    name: "navigation of a phone",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      const opener = page.getByRole("button", { name: "Open navigation" });
      if (!(await opener.isVisible())) return;
      await opener.click();
      await page.getByRole("button", { name: /ada Admin$/ }).click();
      await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
    },
  },
];

async function open(page: Page, context: BrowserContext, { path, role, prepare, arrange }: View): Promise<string[]> {
  const [tenant, empty] = [await createTenant(), await createTenant()];
  const people = ["user:leo", null, "user:ada", null] as const;
  const { id: reconciliation_id } = await reconcile(tenant, { name: "Payouts to bank" });
  for (const [index, [title, due_in_minutes]] of Object.entries({ breached: -20, high: 30, medium: 90, low: 900 }).entries()) {
    await report(tenant, {
      title,
      due_in_minutes,
      assigned_to: people[index],
      amount_minor: 4200,
      currency: "EUR",
      details: { line: 1 },
      reconciliation_id,
    });
  }
  await keep(tenant, "integrations", { name: "Stripe payouts", provider: "stripe", config: { account: "acct_1" }, owner: "ops" });
  await keep(tenant, "release-notes", { title: "Faster matching", version: "2.4.0", body: MARKDOWN, published: true });
  const { id } = await keep(tenant, "integrations", { name: "Old bridge", provider: "sftp" });
  await api("DELETE", `/v1/integrations/${id}`, { bearer: await userToken(tenant, ["tenant_lead"]), tenant });
  const webhook = await api("POST", "/v1/webhooks", {
    bearer: await userToken(tenant, ["tenant_admin"]),
    tenant,
    body: { url: "https://hooks.example.com/tieout", events: ["webhook.disabled"], secret: "sixteen bytes, and more" },
  });
  const { id: webhookId } = webhook.json as { id: string };
  await prepare?.(tenant);
  if (!path.startsWith("/sign-in")) await beSignedIn(context, role ? { [tenant]: [role], [empty]: [role] } : {});
  const complaints = complaintsOf(page);
  await page.goto(path.replace(":tenant", tenant).replace(":empty", empty).replace(":webhook", webhookId));
  await arrange?.(page);
  return complaints;
}

for (const view of VIEWS) {
  for (const width of WIDTHS) {
    test(`${view.name}, ${width} px: in both themes nothing that axe finds, no complaint, no sideways scrolling`, async ({
      page,
      context,
    }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      const complaints = await open(page, context, view);
      await expectSoundInBothThemes(page, width);
      expect(complaints.filter((text) => !text.includes("the server responded with a status of 404"))).toEqual([]);
    });
  }
}

test("pages carry their security headers, and a nonce that is new each time", async ({ request }) => {
  const [first, second] = [await request.get("/sign-in"), await request.get("/sign-in")];
  const headers = first.headers();
  const policy = headers["content-security-policy"] ?? "";
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin-when-cross-origin",
  });
  const nonceOf = (text = "") => /'nonce-([^']+)'/.exec(text)?.[1];
  expect(nonceOf(policy)).toBeTruthy();
  expect(nonceOf(second.headers()["content-security-policy"])).not.toBe(nonceOf(policy));
  for (const html of [await first.text(), await second.text()]) {
    expect(html).not.toMatch(/<[^>]+\sstyle=/);
    expect(html).not.toMatch(/<script(?![^>]*nonce=)/);
  }
});

for (const { path, role, name } of VIEWS.filter(({ arrange }) => !arrange)) {
  test(`${name}: at most ${SCRIPT_MAX_BYTES / 1000} kB of script over the wire`, async ({ page, context }) => {
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (request.resourceType() === "script") sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await open(page, context, { name, path, role });
    await page.waitForLoadState("networkidle");
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    console.log(`${name}: ${(total / 1000).toFixed(1)} kB of script`);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThanOrEqual(SCRIPT_MAX_BYTES);
  });
}
