import { describe, expect, test } from "vitest";
import { type Format, type Part, partsOf } from "./file-parts.ts";

async function cut(content: string | Uint8Array<ArrayBuffer>, format: Format): Promise<Part[]> {
  return all(partsOf(new Blob([content]), format));
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A file whose bytes arrive in these chunks. */
function arriving(chunks: Uint8Array[]): Blob {
  const left = [...chunks];
  const stream = () =>
    new ReadableStream({
      pull(controller) {
        const chunk = left.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
  return { stream } as unknown as Blob;
}

describe("splitting a file into parts", () => {
  test("puts each record in one part of a thousand, CSV parts below the header", async () => {
    const lines = Array.from({ length: 2500 }, (_, at) => `Title ${at},high`);
    const parts = await cut(["title,severity", ...lines, ""].join("\r\n"), "csv");
    expect(parts.map(({ records }) => records.length)).toEqual([1000, 1000, 500]);
    expect(parts.flatMap(({ records }) => records.map(({ text }) => text))).toEqual(lines);
    for (const { text } of parts) expect(text.startsWith("title,severity\nTitle ")).toBe(true);
  });

  test("knows the line number of each record in the file", async () => {
    const lines = [
      "title,severity",
      ...Array.from({ length: 1500 }, (_, at) => (at % 3 ? `T${at},low` : `"T\n${at}",low`)),
    ];
    const file = lines.join("\n").split("\n");
    const [, second] = await cut(lines.join("\n"), "csv");
    const sent = second?.text.split("\n") ?? [];
    for (const [at, text] of sent.entries())
      if (at > 0) expect(file[at + (second?.lineOffset ?? 0)]).toBe(text);
    for (const { text, lastLine } of second?.records ?? [])
      expect(file[lastLine - 1]).toBe(text.split("\n").at(-1));
  });

  test("never splits quoted cells at commas, line ends or quotes", async () => {
    const rows = [
      '"a ""quoted"",\nline",high',
      '5" pipe,low',
      '"",medium',
      '"\n\n",low',
      'last,"high"',
    ];
    const [part] = await cut(["\uFEFFtitle,severity", ...rows].join("\n"), "csv");
    expect(part?.records.map(({ text }) => text)).toEqual(rows);
    expect(part?.records.map(({ lastLine }) => lastLine)).toEqual([3, 4, 5, 8, 9]);
  });

  test("works wherever the file's bytes are split", async () => {
    const text = 'title,severity\n"Zürich, €\n""x""",high\nÖ,low\n';
    const bytes = new TextEncoder().encode(text);
    for (let at = 1; at < bytes.length; at++) {
      const parts = await all(partsOf(arriving([bytes.slice(0, at), bytes.slice(at)]), "csv"));
      expect(parts.flatMap(({ records }) => records.map((record) => record.text))).toEqual([
        '"Zürich, €\n""x""",high',
        "Ö,low",
      ]);
    }
  });

  test("reads NDJSON line by line, and counts but skips blank lines", async () => {
    const [part] = await cut('{"a":1}\r\n\n{"a":2}', "ndjson");
    expect(part?.records).toEqual([
      { text: '{"a":1}', lastLine: 1 },
      { text: '{"a":2}', lastLine: 3 },
    ]);
  });

  test("rejects files that aren't text, or have an endless record", async () => {
    await expect(cut(new Uint8Array([0x74, 0xff, 0xfe, 0x0a]), "csv")).rejects.toThrow(
      "isn't UTF-8",
    );
    await expect(cut(`title\n"open${"x".repeat(300_000)}\n`, "csv")).rejects.toThrow(
      "line 2 doesn't end. A quotation mark is never closed",
    );
  });
});
