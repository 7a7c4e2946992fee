/** What a terminal shows of a program's output: the part of ECMA-48 that our CLI writes. */

const ESCAPE = "\u001b";
const CONTROL = /\[([?\d;]*)([A-Za-z])/y;

const TONES = {
  31: "danger",
  32: "good",
  33: "warning",
  34: "info",
  35: "info",
  36: "info",
  90: "neutral",
} as const;
type Tone = (typeof TONES)[keyof typeof TONES];
type Style = { tone?: Tone; bold?: true; dim?: true; underline?: true; strike?: true; turn?: true };
type Cell = { character: string; style: Style };

const SET: Record<number, Style> = {
  1: { bold: true },
  2: { dim: true },
  4: { underline: true },
  7: { turn: true },
  9: { strike: true },
};
/** What each of these codes ends. */
const ENDED: Record<number, (keyof Style)[]> = {
  0: ["tone", "bold", "dim", "underline", "strike", "turn"],
  22: ["bold", "dim"],
  24: ["underline"],
  27: ["turn"],
  29: ["strike"],
  39: ["tone"],
};
const PLAIN: Style = {};
const BLANK: Cell = { character: " ", style: PLAIN };

class Screen {
  readonly rows: Cell[][] = [[]];
  readonly #columns: number;
  #row = 0;
  #column = 0;
  #style = PLAIN;

  constructor(columns: number) {
    this.#columns = columns;
  }

  put(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#moveTo(this.#row + 1, this.#column);
    else if (character === "\b") this.#moveTo(this.#row, this.#column - 1);
    else {
      if (this.#column >= this.#columns) this.#moveTo(this.#row + 1, 0);
      const row = this.rows[this.#row] ?? [];
      while (row.length < this.#column) row.push(BLANK);
      row[this.#column] = { character, style: this.#style };
      this.#column += 1;
    }
  }

  /** @throws Error at what no test has seen: it would be shown wrong */
  control(parameters: string, command: string): void {
    // Modes, such as whether the cursor is shown.
    if (parameters.startsWith("?")) return;
    const numbers = parameters.split(";").map(Number);
    const count = numbers[0] || 1;
    if (command === "A") this.#moveTo(this.#row - count, this.#column);
    else if (command === "B") this.#moveTo(this.#row + count, this.#column);
    else if (command === "C") this.#moveTo(this.#row, this.#column + count);
    else if (command === "D") this.#moveTo(this.#row, this.#column - count);
    else if (command === "G") this.#moveTo(this.#row, count - 1);
    else if (command === "J" && !numbers[0]) this.#eraseDown();
    else if (command === "K" && numbers[0] !== 1) this.#eraseRow(numbers[0] ? 0 : this.#column);
    else if (command === "m") for (const number of numbers) this.#restyle(number);
    else throw new Error(`The terminal doesn't know ESC[${parameters}${command}.`);
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.max(0, row);
    this.#column = Math.min(Math.max(0, column), this.#columns - 1);
    while (this.rows.length <= this.#row) this.rows.push([]);
  }

  #eraseRow(from: number): void {
    this.rows[this.#row]?.splice(from);
  }

  #eraseDown(): void {
    this.#eraseRow(this.#column);
    this.rows.splice(this.#row + 1);
  }

  #restyle(number: number): void {
    const tone = TONES[number as keyof typeof TONES];
    const set = tone ? { tone } : SET[number];
    const ended = ENDED[number];
    if (set) this.#style = { ...this.#style, ...set };
    else if (ended)
      this.#style = Object.fromEntries(
        Object.entries(this.#style).filter(([name]) => !ended.includes(name as keyof Style)),
      );
    else throw new Error(`The terminal doesn't know the style ${number}.`);
  }
}

/** The rows on a terminal of this width, without empty ones at the end. */
function rowsOf(output: string, columns: number): Cell[][] {
  const screen = new Screen(columns);
  const characters = output[Symbol.iterator]();
  let at = 0;
  for (let next = characters.next(); !next.done; next = characters.next()) {
    at += next.value.length;
    if (next.value !== ESCAPE) {
      screen.put(next.value);
      continue;
    }
    CONTROL.lastIndex = at;
    const [control, parameters = "", command = ""] = CONTROL.exec(output) ?? [];
    // The rest of it isn't printed yet.
    if (!control) break;
    screen.control(parameters, command);
    for (let skipped = 0; skipped < control.length; skipped += 1) characters.next();
    at += control.length;
  }
  const { rows } = screen;
  while (rows.at(-1)?.every(({ character }) => character === " ")) rows.pop();
  return rows;
}

/** The text on a terminal of this width. */
export function terminalText(output: string, columns: number): string {
  return rowsOf(output, columns)
    .map((row) =>
      row
        .map(({ character }) => character)
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

/** The same in HTML, in the colours of app/globals.css. */
export function terminalHtml(output: string, columns: number): string {
  return rowsOf(output, columns).map(rowHtml).join("\n");
}

function rowHtml(row: Cell[]): string {
  const runs: { text: string; style: Style }[] = [];
  for (const { character, style } of row) {
    const last = runs.at(-1);
    if (last && JSON.stringify(last.style) === JSON.stringify(style)) last.text += character;
    else runs.push({ text: character, style });
  }
  return runs.map(({ text, style }) => runHtml(escaped(text), style)).join("");
}

function runHtml(html: string, { tone, bold, dim, underline, strike, turn }: Style): string {
  const css = [
    tone && "color: var(--tone-ink)",
    bold && "font-weight: 600",
    dim && "opacity: 0.7",
    underline && "text-decoration: underline",
    strike && "text-decoration: line-through",
    turn && "background: var(--color-ink); color: var(--color-surface)",
  ].filter(Boolean);
  if (css.length === 0) return html;
  return `<span${tone ? ` data-tone="${tone}"` : ""} style="${css.join("; ")}">${html}</span>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
