/**
 * Screenshots of what several people do, in order, on one sheet. Only `npm run screenshots` takes
 * them.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";

const FOLDER = process.env.SCREENSHOTS;
const HEIGHT_PX = 420;

type Frame = { caption: string; picture: Buffer };

export class Film {
  readonly #name: string;
  readonly #began = performance.now();
  readonly #frames: Frame[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** @param caption who sees what */
  async take(page: Page, caption: string): Promise<void> {
    if (FOLDER === undefined) return;
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const at = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    this.#frames.push({
      caption: `${this.#frames.length + 1}. ${caption} (${at})`,
      picture: await page.screenshot(),
    });
  }

  /** @param figures the text above the pictures */
  async sheet(browser: Browser, figures: string): Promise<void> {
    if (FOLDER === undefined) return;
    const folder = join(FOLDER, "sheets");
    mkdirSync(folder, { recursive: true });
    const page = await browser.newPage({ viewport: { width: 2100, height: 1200 } });
    const pictures = this.#frames.map(
      ({ caption, picture }) =>
        `<figure style="margin:0"><img src="data:image/png;base64,${picture.toString("base64")}" style="height:${HEIGHT_PX}px;display:block">` +
        `<figcaption style="padding:6px 0 14px;max-width:${HEIGHT_PX * 1.6}px">${caption}</figcaption></figure>`,
    );
    await page.setContent(
      `<body style="margin:0;padding:16px;font:16px sans-serif;background:#ddd"><h1 style="font-size:22px">${this.#name}</h1><p>${figures}</p>` +
        `<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:start">${pictures.join("")}</div></body>`,
    );
    await page.screenshot({
      path: join(folder, `${this.#name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.png`),
      fullPage: true,
    });
    await page.close();
  }
}
