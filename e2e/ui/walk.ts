/** One visit to a view, with all its checks. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  expect,
  type Page,
  test as plain,
} from "@playwright/test";
import type { Role } from "#lib/wire/access.ts";
import { createTenant, stack } from "../fixtures.ts";
import { WHOLE } from "../gate.ts";
import type { Answered, View } from "../views/view.ts";
import { createWorld, type World } from "../views/world.ts";
import { FIGURES, figuresOf, movedElements, recordFigures } from "./figures.ts";
import { beSignedIn } from "./person.ts";
import {
  collectErrors,
  DESK,
  expectSoundEverywhere,
  expectSoundOnDesk,
  PHONE,
  settled,
  type Theme,
} from "./soundness.ts";

export const MAX_LAYOUT_SHIFT = 0.1;
export const MAX_SCRIPT_KB = 250;

/** Where pictures are stored, if any are taken. */
const PICTURES = process.env.SCREENSHOTS;

type Walker = { visit: (view: View) => Promise<void> };

/** Each worker creates its tenants and signs in once for all views that only read. */
export const test = plain.extend<
  Walker,
  { world: World; contextOf: (view: View) => Promise<{ context: BrowserContext; tenants: World }> }
>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from the pattern
  world: [async ({}, use) => use(await createWorld()), { scope: "worker", timeout: 300_000 }],

  contextOf: [
    async ({ browser, world }, use) => {
      const contexts = new Map<View["role"], BrowserContext>();
      await use(async (view) => {
        const tenants = view.alone ? { world: world.world, empty: await createTenant() } : world;
        const context =
          (!view.alone && contexts.get(view.role)) || (await openContext(browser, view, tenants));
        if (!view.alone) contexts.set(view.role, context);
        return { context, tenants };
      });
      for (const context of contexts.values()) await context.close();
    },
    { scope: "worker" },
  ],

  visit: async ({ browser, contextOf }, use, info) => {
    await use(async (view) => {
      const { context, tenants } = await contextOf(view);
      const page = await context.newPage();
      try {
        const errors = collectErrors(page);
        await page.setViewportSize(view.phone ? PHONE : DESK);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        await view.begin?.(page, context);
        await page.goto(
          view.path.replace(":world", tenants.world).replace(":empty", tenants.empty),
        );
        await settled(page);
        // Measured before any input. The browser doesn't count a shift within half a second after
        // input, but a slow machine may take longer to respond.
        const { layout_shift } = await figuresOf(page);
        const moved = await movedElements(page);
        await view.arrange?.(page, context);
        const figures = { ...(await figuresOf(page)), layout_shift };
        info.annotations.push({ type: FIGURES, description: JSON.stringify(figures) });
        const pictures = new Map<string, Buffer>();
        // The page below an overlay has its own view.
        const onTop = view.arrange !== undefined;
        const expectSound = WHOLE ? expectSoundEverywhere : expectSoundOnDesk;
        await expectSound(page, {
          onTop,
          onPhone: view.arrangeOnPhone && (async () => view.arrangeOnPhone?.(page, context)),
          shown: PICTURES
            ? async (theme, width) =>
                void pictures.set(`${theme}-${width}`, await picture(page, view, theme, width))
            : undefined,
        });
        expect(
          errors.filter((text) => !isResponse(text, view.answers)),
          "what the console says",
        ).toEqual([]);
        expect(
          figures.layout_shift,
          ["what moves under the reader", ...moved].join("\n"),
        ).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
        if (!view.arrange)
          expect(figures.script_kb, "kB of script").toBeLessThanOrEqual(
            view.script_max_kb ?? MAX_SCRIPT_KB,
          );
        expect(figures.script_kb, "kB of script").toBeGreaterThan(10);
        if (PICTURES) await sheet(browser, view, pictures);
      } finally {
        await (view.alone ? context : page).close();
      }
    });
  },
});

async function openContext(
  browser: Browser,
  { role }: View,
  { world, empty }: World,
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: stack.url, timezoneId: "Europe/Berlin" });
  await context.addInitScript(recordFigures);
  if (!role) return context;
  const roles = role === "none" || role === "stranger" ? [] : [role];
  const tenants: Record<string, Role[]> =
    role === "stranger" ? {} : { acme: roles, [world]: roles, [empty]: roles };
  await beSignedIn(context, tenants, role === "tenant_analyst" ? "ana" : "ada");
  return context;
}

/** The browser reports every failed response. */
function isResponse(text: string, answers: readonly Answered[] = []): boolean {
  return answers.some((status) =>
    text.includes(
      status === "offline"
        ? "net::ERR_INTERNET_DISCONNECTED"
        : `the server responded with a status of ${status}`,
    ),
  );
}

function picture(page: Page, { name }: View, theme: Theme, width: number): Promise<Buffer> {
  return page.screenshot({
    path: join(PICTURES as string, `${fileName(name)}-${theme}-${width}.png`),
  });
}

/** Puts the four pictures of a view side by side. */
async function sheet(
  browser: Browser,
  { name }: View,
  pictures: Map<string, Buffer>,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1506, height: 1470 } });
  const images = ["light-1440", "light-360", "dark-1440", "dark-360"].map(
    (key) =>
      `<img src="data:image/png;base64,${pictures.get(key)?.toString("base64")}" style="height:720px">`,
  );
  await page.setContent(
    `<body style="margin:0;padding:10px;display:grid;gap:10px;background:#888;grid-template-columns:repeat(2,max-content)">${images.join("")}</body>`,
  );
  mkdirSync(join(PICTURES as string, "sheets"), { recursive: true });
  await page.screenshot({ path: join(PICTURES as string, "sheets", `${fileName(name)}.png`) });
  await page.close();
}

function fileName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
