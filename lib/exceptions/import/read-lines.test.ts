import { expect, test } from "vitest";
import { type Line, readLines } from "./read-lines.ts";

const MIB = 1024 * 1024;
const FIELDS = new Set(["title", "severity", "details"]);

/** The lines read from a file of these chunks, and whether the whole file was consumed. */
async function read(
  mediaType: string,
  parts: Iterable<string>,
): Promise<{ lines: Line[]; whole: boolean }> {
  let whole = false;
  const rest = parts[Symbol.iterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = rest.next();
      if (!done) return controller.enqueue(encoder.encode(value));
      whole = true;
      controller.close();
    },
  });
  const lines: Line[] = [];
  for await (const line of readLines(mediaType, stream, FIELDS)) lines.push(line);
  return { lines, whole };
}

function* repeat(part: string, times: number): Generator<string> {
  for (let nth = 0; nth < times; nth++) yield part;
}

const long = "x".repeat(MIB);
const manyRows = (row: string) => repeat(row.repeat(1000), 101);

test("reports an NDJSON line as long as a file without buffering it", async () => {
  const { lines } = await read("application/x-ndjson", [
    '{"title":"',
    ...repeat(long, 20),
    '"}\n{"title":"B"}\n',
    '{"title":"C"}',
  ]);
  expect(lines).toEqual([
    { number: 1, fault: expect.stringContaining("too long") },
    { number: 2, value: { title: "B" } },
    { number: 3, value: { title: "C" } },
  ]);
});

test("joins lines that are split between chunks", async () => {
  const { lines } = await read("application/x-ndjson", [
    '{"tit',
    'le":',
    '"A"}',
    "\n",
    '\n{"title":"B"}\n{"ti',
    'tle":"C"}',
  ]);
  expect(lines.map(({ number, value }) => [number, value?.title])).toEqual([
    [1, "A"],
    [3, "B"],
    [4, "C"],
  ]);
});

test("reports a CSV line as long as a file and consumes the rest unparsed", async () => {
  const { lines, whole } = await read("text/csv", [
    "title,severity\nA,low\n",
    ...repeat(long, 20),
    ",low\nC,low\n",
  ]);
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual({ number: 2, value: { title: "A", severity: "low" } });
  expect(lines).toContainEqual({ number: 3, fault: expect.stringContaining("too long") });
  expect(whole).toBe(true);
});

test("reports an endless CSV row of empty cells and consumes the rest unparsed", async () => {
  const { lines, whole } = await read("text/csv", [
    "title,severity\nA,low\nB",
    ...repeat(",".repeat(MIB), 4),
    "\nC,low\n",
  ]);
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual({ number: 2, value: { title: "A", severity: "low" } });
  expect(lines).toContainEqual({ number: 3, fault: expect.stringContaining("too long") });
  expect(whole).toBe(true);
});

test.each([
  ["application/x-ndjson", "", '{"a":1}\n'],
  ["text/csv", "title,severity\n", "A,low\n"],
  ["text/csv", "title,severity\n", "A\n"],
])(
  "reports one row over 100,000 of %s and consumes the rest unparsed",
  async (mediaType, header, row) => {
    const { lines, whole } = await read(mediaType, [header, ...manyRows(row)]);
    expect(lines).toHaveLength(100_001);
    expect(lines.at(-1)).toMatchObject({ fault: expect.stringContaining("100,000 rows") });
    expect(whole).toBe(true);
  },
  60_000,
);

test("keeps a quotation mark within a text and loses no line", async () => {
  const { lines } = await read("text/csv", [
    'title , severity\n5" pipe,high\n"c"d,low\n"x, ""y""",low\n',
  ]);
  expect(lines).toEqual([
    { number: 2, value: { title: '5" pipe', severity: "high" } },
    { number: 3, value: { title: '"c"d', severity: "low" } },
    { number: 4, value: { title: 'x, "y"', severity: "low" } },
  ]);
});

test("numbers the rows after a cell with CRLF line breaks as the file does", async () => {
  const { lines } = await read("text/csv", [
    'title,severity\r\n"Two\r\nlines",low\r\n\r\nA,low,extra\r\nB,low\r\n',
  ]);
  expect(lines).toEqual([
    { number: 3, value: { title: "Two\r\nlines", severity: "low" } },
    { number: 5, fault: expect.stringContaining("different number of cells") },
    { number: 6, value: { title: "B", severity: "low" } },
  ]);
});

test("reports the line of a quotation mark that is never closed", async () => {
  const { lines } = await read("text/csv", [
    'title,severity\nA,low\n"B,low\n',
    "C,low\n".repeat(10),
  ]);
  expect(lines).toContainEqual({ number: 2, value: { title: "A", severity: "low" } });
  expect(lines).toContainEqual({ number: 3, fault: expect.stringContaining("never closed") });
  expect(lines).toHaveLength(2);
});

test.each([
  [
    "20,000 unknown columns",
    `title,${Array.from({ length: 20_000 }, (_, nth) => `c${nth}`).join(",")}\n`,
  ],
  ["a column that is no field", "title,sevrity\n"],
  ["a column without a name", "title,\n"],
  ["a column twice", "title,severity,title\n"],
  ["a column of all objects", "title,__proto__\n"],
  ["empty columns without end", `title,severity${",".repeat(4 * MIB)}`],
  ["a column without end", `title,${"x".repeat(4 * MIB)}`],
  [
    "more columns than a row can have, then another",
    `title,${"x".repeat(260 * 1024)}\ntitle,severity\n`,
  ],
])("rejects a header with %s and consumes the file unparsed", async (_what, header) => {
  let taken = 0;
  const parts = function* () {
    yield header;
    for (; taken < 200; taken++) yield "A,low\n".repeat(10_000);
  };
  const refusal = await read("text/csv", parts()).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "invalid_request",
    message: "The header can contain these columns, each once: title, severity, details.",
  });
  expect((refusal as { errors: unknown[] }).errors.length).toBeLessThanOrEqual(100);
  expect(taken).toBe(200);
});
