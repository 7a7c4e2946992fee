import { PassThrough, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import { confirm, select } from "@clack/prompts";
import { expect, test } from "vitest";
import { terminalHtml, terminalText } from "./terminal.ts";

const COLUMNS = 80;
const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { validateStream: false });

/** A prompt at a terminal: what it printed, and a person's keys. */
function terminal() {
  const input = new PassThrough();
  const shown = { output: "" };
  const output = new Writable({
    write(chunk, _encoding, done) {
      // A terminal's driver adds carriage returns.
      shown.output += String(chunk).replaceAll("\n", "\r\n");
      done();
    },
  });
  Object.assign(output, { columns: COLUMNS, rows: 24, isTTY: true });
  const press = async (key: string) => {
    input.write(key);
    await sleep(50);
  };
  return { shown, streams: { input, output }, press };
}

test("a long line wraps to the next row, and a carriage return overwrites its row", async () => {
  expect(await terminalText("abcdefg", 5)).toBe("abcde\nfg");
  expect(await terminalText("12 %\r100 %\r\ndone\r\n", COLUMNS)).toBe("100 %\ndone");
});

test("a redrawn prompt is shown once, with the final choice", async () => {
  const { shown, streams, press } = terminal();
  const options = ["DD/MM/YYYY", "MM/DD/YYYY"].map((value) => ({ value, label: value }));
  const answer = select({ ...streams, message: "Which is it?", options });
  await sleep(50);
  const open = await terminalText(shown.output, COLUMNS);
  expect(open.match(/Which is it\?/g)).toHaveLength(1);
  expect(open).toMatch(/● DD\/MM\/YYYY\n.*○ MM\/DD\/YYYY/);
  await press("\u001b[B");
  expect(await terminalText(shown.output, COLUMNS)).toMatch(/○ DD\/MM\/YYYY\n.*● MM\/DD\/YYYY/);
  await press("\r");
  expect(await answer).toBe("MM/DD/YYYY");
  const answered = await terminalText(shown.output, COLUMNS);
  expect(answered.match(/Which is it\?/g)).toHaveLength(1);
  expect(answered).toContain("MM/DD/YYYY");
  expect(answered).not.toContain("DD/MM/YYYY");

  const saved = confirm({ ...streams, message: "Save?" });
  await press("y");
  expect(await saved).toBe(true);
  expect(await terminalText(shown.output, COLUMNS)).toMatch(/Save\?\n.*Yes$/);
});

test("an incomplete control sequence is not shown", async () => {
  expect(await terminalText("ready\u001b[3", COLUMNS)).toBe("ready");
});

test("styles become the product's colors, and text is escaped", async () => {
  expect(
    await terminalHtml(`${styled("green", "◇")} <b> & ${styled("bold", "now")}`, COLUMNS),
  ).toBe(
    '<span data-tone="good" style="color: var(--tone-ink)">◇</span> &lt;b> &amp; ' +
      '<span style="font-weight: 600">now</span>',
  );
  expect(
    await terminalHtml(styled(["red", "inverse"], "no") + styled("reset", "!"), COLUMNS),
  ).toMatch(/data-tone="danger".*>no<\/span>!$/);
});

test.each(["\u001b[45mx", "\u001b[95mx"])(
  "%j is refused, because its color has no tone",
  async (text) => {
    await expect(terminalHtml(text, COLUMNS)).rejects.toThrow('The color of "x" has no tone.');
  },
);
