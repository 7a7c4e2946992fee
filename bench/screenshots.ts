/**
 * Every page × {light, dark} × {360, 768, 1440} px of a running local stack, and one sheet a page with all six side by side.
 * node bench/screenshots.ts <folder> [only these pages…]
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { findChromium } from "../bin/chromium.mjs";
import { stackEnvironment } from "../supervisor/stack-file.ts";

const [folder, ...only] = process.argv.slice(2);
if (!folder) throw new Error("Say where to: node bench/screenshots.ts <folder> [pages…]");
const baseURL = process.env.TIEOUT_URL ?? stackEnvironment().NEXTAUTH_URL ?? "http://localhost:3000";

const THEMES = ["light", "dark"] as const;
const WIDTHS = [360, 768, 1440];
const HEIGHT = 900;

type View = { path: string; as?: string | null; arrange?: (page: Page) => Promise<void> };

const row = (page: Page) => page.getByRole("row").getByRole("link").first();
const openFirst = async (page: Page) => {
  await row(page).click();
  await page.getByRole("dialog").waitFor();
};

const VIEWS: Record<string, View> = {
  "sign-in": { path: "/sign-in", as: null },
  "not-found": { path: "/acme/nowhere" },
  board: { path: "/acme/exceptions" },
  "board-charts": { path: "/acme/exceptions?charts=true" },
  "board-no-match": { path: "/acme/exceptions?assigned_to=user:nobody" },
  exception: { path: "/acme/exceptions", arrange: openFirst },
  reconciliations: { path: "/acme/reconciliations" },
  "new-reconciliation": { path: "/acme/reconciliations?new=true" },
  reconciliation: {
    path: "/acme/reconciliations",
    arrange: async (page) => {
      await row(page).click();
      await page.waitForURL(/reconciliations\/rcn_/);
    },
  },
  integrations: { path: "/acme/integrations" },
  record: { path: "/acme/integrations", arrange: openFirst },
  bin: { path: "/acme/integrations?view=bin" },
  troubleshooting: { path: "/acme/troubleshooting" },
  "release-notes": { path: "/acme/release-notes" },
  "api-keys": { path: "/acme/api-keys" },
  "create-key": { path: "/acme/api-keys?new=true" },
  "api-key": { path: "/acme/api-keys", arrange: openFirst },
  "api-keys-analyst": { path: "/acme/api-keys", as: "ana@acme.example" },
  webhooks: { path: "/acme/webhooks" },
  "security-events": { path: "/acme/security-events" },
  "sla-policy": { path: "/acme/sla-policy" },
  updates: { path: "/acme/updates", as: null },
  docs: { path: "/docs", as: null },
  design: { path: "/design", as: null },
  palette: {
    path: "/acme/exceptions",
    arrange: async (page) => {
      await page.getByRole("button", { name: "Search or jump to" }).filter({ visible: true }).click();
      await page.getByRole("combobox").fill("pay");
      await page.getByRole("option").first().waitFor();
    },
  },
  menu: {
    path: "/acme/exceptions",
    arrange: async (page) => {
      const opener = page.getByRole("button", { name: "Open navigation" });
      if (await opener.isVisible()) await opener.click();
      await page
        .getByRole("button", { name: /^Account and preferences/ })
        .filter({ visible: true })
        .click();
    },
  },
};

async function sessionOf(browser: Browser, email: string) {
  const page = await browser.newPage({ baseURL });
  await page.goto("/sign-in?callbackUrl=/acme/reconciliations");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill("tieout-demo");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(({ pathname }) => pathname === "/acme/reconciliations");
  const state = await page.context().storageState();
  await page.close();
  return state;
}

async function settled(page: Page) {
  await page.waitForFunction(() => !document.querySelector("[role=status][aria-label^=Loading]"));
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
const sessions = new Map<string, Awaited<ReturnType<typeof sessionOf>>>();
mkdirSync(join(folder, "sheets"), { recursive: true });
for (const [name, { path, as = "ada@acme.example", arrange }] of Object.entries(VIEWS)) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (as && !sessions.has(as)) sessions.set(as, await sessionOf(browser, as));
  const shots: { width: number; picture: string }[] = [];
  for (const colorScheme of THEMES) {
    for (const width of WIDTHS) {
      const context = await browser.newContext({
        baseURL,
        colorScheme,
        viewport: { width, height: HEIGHT },
        reducedMotion: "reduce",
        storageState: as ? sessions.get(as) : undefined,
      });
      const page = await context.newPage();
      try {
        await page.goto(path);
        await settled(page);
        await arrange?.(page);
        await settled(page);
      } catch (error) {
        console.log(`${name}, ${colorScheme}, ${width}: ${String(error).split("\n")[0]}`);
      }
      const picture = await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
      shots.push({ width, picture: picture.toString("base64") });
      if (await page.evaluate((most) => document.documentElement.scrollWidth > most, width))
        console.log(`${name} at ${width} px scrolls sideways`);
      await context.close();
    }
  }
  await sheet(name, shots);
  console.log(name);
}
await browser.close();

/** All six of a page, at a scale that they can be compared in. */
async function sheet(name: string, shots: { width: number; picture: string }[]) {
  const page = await browser.newPage({ viewport: { width: 2000, height: 1400 }, deviceScaleFactor: 1 });
  const images = shots.map(
    ({ width, picture }) => `<img src="data:image/png;base64,${picture}" style="width:${Math.round(width * 0.75)}px">`,
  );
  await page.setContent(
    `<body style="margin:0;padding:10px;display:grid;gap:10px;background:#888;grid-template-columns:repeat(3,max-content)">${images.join("")}</body>`,
  );
  await page.screenshot({ path: join(folder as string, "sheets", `${name}.png`) });
  await page.close();
}
