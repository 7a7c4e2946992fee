import { AxeBuilder } from "@axe-core/playwright";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn, keep, reconcile, report, rowOf } from "./person.ts";

const MARKDOWN =
  "# Heading\n\nText with **weight**, `code` and a [link](https://example.com).\n\n- One\n- Two\n\n> Said\n\n```\ncurl\n```\n";

const SCRIPT_MAX_BYTES = 250_000;

type View = { name: string; path: string; role?: "tenant_admin"; arrange?: (page: Page) => Promise<void> };

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
      await expect(page.getByRole("img", { name: /^Breaches per day/ })).toBeVisible();
      for (const summary of await page.getByText("As a table").all()) await summary.click();
    },
  },
  { name: "empty board", path: "/:empty/exceptions", role: "tenant_admin" },
  { name: "API keys without any", path: "/:tenant/api-keys", role: "tenant_admin" },
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
  { name: "updates", path: "/:tenant/updates" },
  { name: "no updates", path: "/:empty/updates" },
  {
    name: "exception with its history and clock",
    path: "/:tenant/exceptions",
    role: "tenant_admin",
    arrange: async (page) => {
      await rowOf(page, "breached").getByRole("link").click();
      for (const title of ["History", "How its clock ran"]) await page.getByRole("dialog").getByText(title, { exact: true }).click();
      await expect(page.getByRole("dialog").getByRole("list", { name: "History" })).toBeVisible();
      await expect(page.getByRole("dialog").getByRole("table")).toBeVisible();
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

async function open(page: Page, context: BrowserContext, { path, role, arrange }: View): Promise<string[]> {
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
  if (!path.startsWith("/sign-in")) await beSignedIn(context, role ? { [tenant]: [role], [empty]: [role] } : {});
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(path.replace(":tenant", tenant).replace(":empty", empty));
  await arrange?.(page);
  return complaints;
}

for (const view of VIEWS) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [360, 1440]) {
      test(`${view.name}, ${colorScheme}, ${width} px: nothing that axe finds, no complaint, no sideways scrolling`, async ({
        page,
        context,
      }) => {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const complaints = await open(page, context, view);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
        expect(complaints.filter((text) => !text.includes("the server responded with a status of 404"))).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      });
    }
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
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThanOrEqual(SCRIPT_MAX_BYTES);
  });
}
