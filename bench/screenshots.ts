/**
 * Every page and state × {light, dark} × {360, 768, 1440} px of a running local stack (with WEBHOOK_ALLOW_HOSTS=127.0.0.1), and one
 * sheet each with all six side by side.
 * node bench/screenshots.ts <folder> [only these views…]
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { database, stack } from "#e2e/fixtures.ts";
import { findChromium } from "../bin/chromium.mjs";
import { enter, prepare, VIEWS, type View } from "./views.ts";

const [folder, ...only] = process.argv.slice(2);
if (!folder) throw new Error("Say where to: node bench/screenshots.ts <folder> [views…]");

const THEMES = ["light", "dark"] as const;
const WIDTHS = [360, 768, 1440];
const HEIGHT = 900;

type Shot = { width: number; picture: string };

await prepare();
const browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
mkdirSync(join(folder, "sheets"), { recursive: true });
for (const [name, view] of Object.entries(VIEWS)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const shots: Shot[] = [];
  for (const width of WIDTHS) shots.push(...(await shoot(name, view, width)));
  await sheet(name, shots);
  console.log(name);
}
await browser.close();
await database.end();

/** A view at one width, in each theme. */
async function shoot(name: string, { path, as = "tenant_admin", begin, arrange }: View, width: number): Promise<Shot[]> {
  const context = await browser.newContext({
    baseURL: stack.url,
    viewport: { width, height: HEIGHT },
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
  });
  await enter(context, as);
  const page = await context.newPage();
  const shots: Shot[] = [];
  try {
    await begin?.(page, context);
    await page.goto(path);
    await settled(page);
    await arrange?.(page, context);
    await settled(page);
  } catch (error) {
    console.log(`${name}, ${width}: ${String(error).split("\n").slice(0, 4).join(" ")}`);
  }
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await painted(page, colorScheme);
    const picture = await page.screenshot({ path: join(folder as string, `${name}-${colorScheme}-${width}.png`) });
    shots.push({ width, picture: picture.toString("base64") });
  }
  if (await page.evaluate((most) => document.documentElement.scrollWidth > most, width))
    console.log(`${name} at ${width} px scrolls sideways`);
  await context.close();
  return shots;
}

async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector("[role=status][aria-label^=Loading]"));
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
}

/** Colours fade, also for who wants no motion: for a frame. */
async function painted(page: Page, colorScheme: string): Promise<void> {
  await page.waitForFunction((scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches, colorScheme);
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    do await frame();
    while (document.getAnimations().some(({ playState }) => playState === "running"));
    await frame();
  });
}

/** All six of a view, at a scale that they can be compared in. */
async function sheet(name: string, shots: Shot[]): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1966, height: 1380 }, deviceScaleFactor: 1 });
  const ordered = [0, 2, 4, 1, 3, 5].flatMap((at) => shots[at] ?? []);
  const images = ordered.map(
    ({ width, picture }) => `<img src="data:image/png;base64,${picture}" style="width:${Math.round(width * 0.75)}px">`,
  );
  await page.setContent(
    `<body style="margin:0;padding:10px;display:grid;gap:10px;background:#888;grid-template-columns:repeat(3,max-content)">${images.join("")}</body>`,
  );
  await page.screenshot({ path: join(folder as string, "sheets", `${name}.png`) });
  await page.close();
}
