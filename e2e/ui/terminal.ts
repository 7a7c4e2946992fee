/**
 * A person's terminal, and pictures of what it shows, which only `npm run screenshots` takes.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, expect } from "@playwright/test";
import { terminalHtml, terminalText } from "../../bin/dev/terminal.ts";
import type { Cli, Started } from "../api/cli/command.ts";
import { stack } from "../fixtures.ts";

const FOLDER = process.env.SCREENSHOTS;
const COLUMNS = 80;
const STILL_MS = 300;
/** Pictures are part of pages of text, so they stay small. */
const MAX_BYTES = 60_000;
/** Sharp on most screens, and small enough. */
const SCALE = 1.25;
const PROMPT = "\u001b[90m$\u001b[39m ";
const STYLES = `
  body { margin: 0; background: var(--color-canvas); color: var(--color-ink); }
  main { width: max-content; padding: 12px; display: grid; gap: 12px; }
  pre {
    box-sizing: content-box; width: ${COLUMNS}ch; margin: 0; padding: 14px 16px;
    border: 1px solid var(--color-line); border-radius: 10px; background: var(--color-surface);
    font: 13px/1.45 var(--font-mono);
  }`;

export class Terminal {
  readonly #cli: Cli;
  readonly #folder: string;
  /** The output of earlier commands. */
  #before = "";
  #typed = "";
  #running: Started | undefined;

  constructor(cli: Cli, folder: string) {
    this.#cli = cli;
    this.#folder = folder;
  }

  /** Starts `tieout` with these arguments, after the previous command has ended. */
  type(...args: string[]): Started {
    this.#before = this.output;
    this.#typed = `${PROMPT}tieout ${args.join(" ")}\r\n`;
    this.#running = this.#cli.startAtTerminal(args, {
      columns: COLUMNS,
      colors: true,
      cwd: this.#folder,
    });
    return this.#running;
  }

  /** Runs a command to its end. */
  async run(...args: string[]): Promise<void> {
    const { code, stdout } = await this.type(...args).ended;
    expect(code, stdout).toBe(0);
  }

  press(key: string): void {
    this.#running?.child.stdin?.write(key);
  }

  get output(): string {
    return this.#before + this.#typed + (this.#running?.stdout ?? "");
  }

  text(): Promise<string> {
    return terminalText(this.output, COLUMNS);
  }

  /** Waits until the terminal shows this text and its output has not changed for 300 ms. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.text()).toContain(text);
    for (let before = ""; before !== this.output; ) {
      before = this.output;
      await sleep(STILL_MS);
    }
  }
}

/** Takes a picture of terminals, one below the other: `cli-<name>.png`. */
export async function picture(
  browser: Browser,
  name: string,
  ...terminals: Terminal[]
): Promise<void> {
  if (FOLDER === undefined) return;
  const context = await browser.newContext({ colorScheme: "dark", deviceScaleFactor: SCALE });
  const product = await context.newPage();
  await product.goto(stack.url);
  const colors = await product.evaluate(() =>
    [...document.styleSheets]
      .flatMap((sheet) => [...sheet.cssRules])
      .map(({ cssText }) => cssText)
      .join("\n"),
  );
  const page = await context.newPage();
  const shown = await Promise.all(terminals.map(({ output }) => terminalHtml(output, COLUMNS)));
  await page.setContent(
    `<!doctype html><html data-theme="dark"><style>${colors}</style><style>${STYLES}</style>` +
      `<main>${shown.map((html) => `<pre>${html}</pre>`).join("")}</main></html>`,
  );
  const path = join(FOLDER, `cli-${name}.png`);
  await page.locator("main").screenshot({ path });
  await context.close();
  expect((await stat(path)).size).toBeLessThanOrEqual(MAX_BYTES);
}
