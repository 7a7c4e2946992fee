/** What a terminal shows of a program's output, as text and in HTML. */
import xterm, { type IBufferCell, type IBufferLine } from "@xterm/headless";

/** More rows than a picture shows. */
const ROWS = 200;

/** The product's tones, by the numbers of colors in a terminal's palette. */
const TONES: Record<number, string> = {
  1: "danger",
  2: "good",
  3: "warning",
  4: "info",
  5: "info",
  6: "info",
  8: "neutral",
};

/** The text on a terminal of this width. */
export async function terminalText(output: string, columns: number): Promise<string> {
  return (await linesOf(output, columns)).map(textOf).join("\n");
}

/**
 * The same in HTML, in the colors of app/globals.css.
 *
 * @throws Error at a color that has no tone
 */
export async function terminalHtml(output: string, columns: number): Promise<string> {
  return (await linesOf(output, columns)).map(htmlOf).join("\n");
}

/** The lines on the terminal, without empty ones at the end. */
async function linesOf(output: string, columns: number): Promise<IBufferLine[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at) as IBufferLine);
  return lines.slice(0, lines.findLastIndex((line) => textOf(line) !== "") + 1);
}

function textOf(line: IBufferLine): string {
  return line.translateToString().trimEnd();
}

function htmlOf(line: IBufferLine): string {
  const runs: { text: string; attributes: string }[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const cell = line.getCell(at) as IBufferCell;
    const text = cell.getChars() || " ";
    const attributes = attributesOf(cell);
    const last = runs.at(-1);
    if (last?.attributes === attributes) last.text += text;
    else runs.push({ text, attributes });
  }
  const html = runs.map(({ text, attributes }) =>
    attributes ? `<span${attributes}>${escaped(text)}</span>` : escaped(text),
  );
  return html.join("").trimEnd();
}

/** The HTML attributes for the style of a cell; empty for plain text. */
function attributesOf(cell: IBufferCell): string {
  const tone = TONES[cell.getFgColor()];
  if (!cell.isBgDefault() || (!tone && !cell.isFgDefault()))
    throw new Error(`The color of "${cell.getChars()}" has no tone.`);
  const css = [
    tone && "color: var(--tone-ink)",
    cell.isBold() && "font-weight: 600",
    cell.isDim() && "opacity: 0.7",
    cell.isUnderline() && "text-decoration: underline",
    cell.isStrikethrough() && "text-decoration: line-through",
    cell.isInverse() && "background: var(--color-ink); color: var(--color-surface)",
  ].filter(Boolean);
  if (css.length === 0) return "";
  return `${tone ? ` data-tone="${tone}"` : ""} style="${css.join("; ")}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
