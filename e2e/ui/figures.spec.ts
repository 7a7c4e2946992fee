import { expect, type Page, test } from "@playwright/test";
import { tenantWithAdmin } from "../api/api-keys/keys.ts";
import { beSignedIn, keep, reconcile, reportMany } from "./person.ts";

const CLS_MAX = 0.1;
const SCRIPT_MAX_KB = 250;

type Figures = {
  page: string;
  first_paint_ms: number;
  lcp_ms: number;
  usable_ms: number;
  cls: number;
  blocked_ms: number;
  click_ms: number;
  script_kb: number;
};

declare global {
  interface Window {
    figures: { lcp: number; cls: number; blocked: number; slowest: number; usable: number };
  }
}

/** Watches a page from before its first script. What is blocked: the part of each task beyond 50 ms. */
function watch() {
  const seen = { lcp: 0, cls: 0, blocked: 0, slowest: 0, usable: 0 };
  window.figures = seen;
  const observe = (type: string, take: (entry: never) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => void take(entry as never))).observe({
      type,
      buffered: true,
      ...(type === "event" && { durationThreshold: 16 }),
    });
  observe("largest-contentful-paint", ({ startTime }: PerformanceEntry) => {
    seen.lcp = startTime;
  });
  observe("layout-shift", ({ value, hadRecentInput }: { value: number; hadRecentInput: boolean }) => {
    if (!hadRecentInput) seen.cls += value;
  });
  observe("longtask", ({ duration }: PerformanceEntry) => {
    seen.blocked += Math.max(0, duration - 50);
  });
  observe("event", ({ duration }: PerformanceEntry) => {
    seen.slowest = Math.max(seen.slowest, duration);
  });
  const look = () => {
    const control = document.querySelector("h1") && document.querySelector("button, input");
    if (control && Object.keys(control).some((key) => key.startsWith("__reactProps"))) seen.usable = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function figuresOf(page: Page, name: string, path: string): Promise<Figures> {
  await page.goto(path, { waitUntil: "networkidle" });
  await page.waitForFunction(() => window.figures.usable > 0);
  const control = page.getByRole("button").filter({ visible: true }).first();
  await control.click();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return page.evaluate((title) => {
    const { lcp, cls, blocked, slowest, usable } = window.figures;
    const scripts = performance
      .getEntriesByType("resource")
      .filter((entry) => (entry as PerformanceResourceTiming).initiatorType === "script" || entry.name.endsWith(".js"));
    const bytes = scripts.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
    return {
      page: title,
      first_paint_ms: Math.round(paint),
      lcp_ms: Math.round(lcp),
      usable_ms: Math.round(usable),
      cls: Math.round(cls * 1000) / 1000,
      blocked_ms: Math.round(blocked),
      click_ms: Math.round(slowest),
      script_kb: Math.round(bytes / 100) / 10,
    };
  }, name);
}

test(`no page moves under the reader (CLS at most ${CLS_MAX}) or sends more than ${SCRIPT_MAX_KB} kB of script`, async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  const admin = await tenantWithAdmin();
  const { tenant } = admin;
  await reportMany(tenant, 300);
  await admin.create({ name: "Bank feed" });
  await keep(tenant, "integrations", { name: "Stripe payouts" });
  const { id } = await reconcile(tenant, { name: "Payouts to bank" });
  await page.addInitScript(watch);
  const table: Figures[] = [await figuresOf(page, "sign-in", "/sign-in")];
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  const paths = {
    board: "exceptions",
    reconciliations: "reconciliations",
    reconciliation: `reconciliations/${id}`,
    integrations: "integrations",
    "release notes": "release-notes",
    "API keys": "api-keys",
    webhooks: "webhooks",
    "security events": "security-events",
  };
  for (const [name, path] of Object.entries(paths)) table.push(await figuresOf(page, name, `/${tenant}/${path}`));
  await page.setViewportSize({ width: 360, height: 780 });
  table.push(await figuresOf(page, "board at 360 px", `/${tenant}/exceptions`));
  console.table(table);
  for (const { page: name, cls, script_kb } of table) {
    expect(cls, name).toBeLessThanOrEqual(CLS_MAX);
    expect(script_kb, name).toBeLessThanOrEqual(SCRIPT_MAX_KB);
  }
});
