/**
 * Formats × peculiarities: each file of `lib/imports/formats/samples` with its expected result, to
 * the cent, in `<name>.expected.json` next to it. Files named `suite-*` rebuild cases of published
 * test suites with our own figures and texts: `expected.suite` names the suite.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { detect } from "./detect.ts";
import type { ImportLine } from "./line.ts";
import { type ReadOptions, readLines } from "./read-lines.ts";
import { HEAD_BYTES } from "./reader.ts";
import { FileRefused, type Refusal } from "./refusal.ts";

type Expected = {
  suite?: string;
  /** The expected result of `detect`, or a part of it; without it, detection isn't checked. */
  detection?: object;
  /**
   * Options in addition to those detected; a mapping here replaces the detected one. With a format,
   * nothing is detected.
   */
  options: Omit<Partial<ReadOptions>, "limits">;
  lines: Partial<ImportLine>[];
  refusals: (Partial<Refusal> & { line: number })[];
  file_refused?: Partial<Refusal>;
  summary?: object;
};

// Byte by byte on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const FOLDER = join(import.meta.dirname, "./samples");
const SAMPLES = readdirSync(FOLDER).filter(
  (name) => /\.\w+$/.test(name) && !name.endsWith(".expected.json"),
);

function sample(name: string): { bytes: Uint8Array; expected: Expected; options: ReadOptions } {
  const bytes = readFileSync(join(FOLDER, name));
  const expected = JSON.parse(
    readFileSync(join(FOLDER, name.replace(/\.\w+$/, ".expected.json")), "utf8"),
  ) as Expected;
  if (expected.options.format)
    return { bytes, expected, options: { ...expected.options, format: expected.options.format } };
  const { format, csv } = detect(bytes.subarray(0, HEAD_BYTES), { fileName: name });
  return { bytes, expected, options: { format, mapping: csv?.mapping, ...expected.options } };
}

async function read(chunks: Iterable<Uint8Array>, options: ReadOptions) {
  const reading = readLines(
    (async function* () {
      yield* chunks;
    })(),
    options,
  );
  const lines: ImportLine[] = [];
  const refusals: Refusal[] = [];
  let fileRefused: Refusal | undefined;
  try {
    for await (const batch of reading) {
      lines.push(...batch.lines);
      refusals.push(...batch.refusals);
    }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    fileRefused = error.refusal;
  }
  return { lines, refusals, fileRefused, summary: reading.summary };
}

function* cut(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

describe.each(SAMPLES)("%s", (name) => {
  test("is read to the cent", async () => {
    const { bytes, expected, options } = sample(name);
    if (expected.detection)
      expect(detect(bytes, { fileName: name })).toMatchObject(expected.detection);
    const { lines, refusals, fileRefused, summary } = await read([bytes], options);
    expect(refusals).toMatchObject(expected.refusals);
    expect(fileRefused).toEqual(
      expected.file_refused ? expect.objectContaining(expected.file_refused) : undefined,
    );
    expect(lines).toMatchObject(expected.lines);
    expect(lines).toHaveLength(expected.lines.length);
    if (expected.summary) expect(summary).toMatchObject(expected.summary);
  });

  test("is read the same for any split of its bytes", async () => {
    const { bytes, options } = sample(name);
    const whole = await read([bytes], options);
    for (const length of [1, 2, 3, 7, 61, 1_021])
      expect(await read(cut(bytes, length), options)).toEqual(whole);
  });
});

test("reads XML in its declared encoding, regardless of the source's mapping", async () => {
  const { bytes, expected, options } = sample("camt053-v02.xml");
  const mapping = {
    fields: { value_date: "Date", amount: "Amount" },
    encoding: "windows-1252" as const,
  };
  const text = new TextDecoder().decode(bytes).replaceAll(/<Ustrd>[^<]*/g, "<Ustrd>Müller");
  const { lines } = await read([new TextEncoder().encode(text)], { ...options, mapping });
  expect(lines).toHaveLength(expected.lines.length);
  expect(JSON.stringify(lines)).toContain("Müller");
  expect(JSON.stringify(lines)).not.toContain("Ã");
});
