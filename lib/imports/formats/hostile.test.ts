import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { detect } from "./detect.ts";
import type { Format, Mapping } from "./mapping.ts";
import { type ReadOptions, readLines } from "./read-lines.ts";
import { FileRefused } from "./refusal.ts";

// Speed is measured as CPU time, because the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const MIB = 1024 * 1024;
const CAMT =
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>';
const ENTRY =
  '<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-05</Dt></BookgDt></Ntry>';
const BALANCE =
  '<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>';
const CLOSED = "</Stmt></BkToCstmrStmt></Document>";
const mapping: Mapping = {
  fields: { value_date: "date", amount: "amount", description: "text" },
  delimiter: ",",
  encoding: "utf-8",
};

/**
 * Reads these parts; returns how many bytes were taken before the end, and the CPU time used in
 * total and at most without yielding.
 */
async function read(format: Format, parts: Iterable<string>, options: Partial<ReadOptions> = {}) {
  let taken = 0;
  const reading = readLines(
    (async function* () {
      for (const part of parts) {
        taken += part.length;
        yield Buffer.from(part);
      }
    })(),
    { format, currency: "EUR", ...options },
  );
  let longest = 0;
  const begun = process.threadCpuUsage();
  let before = begun;
  let immediate = setImmediate(function turn() {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
    immediate = setImmediate(turn);
  });
  let lines = 0;
  let refusals = 0;
  let refused: FileRefused | undefined;
  try {
    for await (const batch of reading) {
      lines += batch.lines.length;
      refusals += batch.refusals.length;
    }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    refused = error;
  } finally {
    clearImmediate(immediate);
  }
  const { user, system } = process.threadCpuUsage(begun);
  return {
    taken,
    lines,
    refusals,
    refused,
    longest,
    whole: (user + system) / 1000,
    summary: reading.summary,
  };
}

function* repeat(part: string, times: number): Generator<string> {
  for (let nth = 0; nth < times; nth++) yield part;
}

function* concat(...parts: (string | Iterable<string>)[]): Generator<string> {
  for (const part of parts) typeof part === "string" ? yield part : yield* part;
}

test.each<[string, Format, () => Iterable<string>, string, Partial<ReadOptions>?]>([
  [
    "XML with a document type",
    "camt.053",
    () =>
      concat("<!DOCTYPE Document SYSTEM 'http://x.example/x.dtd'>", CAMT, repeat(ENTRY, 100_000)),
    "document type",
  ],
  [
    "a billion laughs",
    "camt.053",
    () =>
      concat(
        '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        CAMT,
        repeat("&b;", 100_000),
      ),
    "document type",
  ],
  [
    "an entity nobody declared",
    "camt.053",
    () => concat(CAMT, "<Ntry>&xxe;", repeat(ENTRY, 100_000)),
    "not well-formed",
  ],
  [
    "OFX with a document type",
    "ofx",
    () =>
      concat(
        '<?xml version="1.0"?><!DOCTYPE OFX [<!ENTITY a SYSTEM "file:///etc/passwd">]><OFX>',
        repeat("&a;", 500_000),
      ),
    "document type",
  ],
  [
    "a million nested elements",
    "camt.053",
    () => concat(CAMT, repeat("<Ntry>", 1_000_000)),
    "nested too deep",
  ],
  [
    "a million elements in an entry",
    "camt.053",
    () => concat(CAMT, "<Ntry>", repeat("<A/>", 1_000_000)),
    "too many elements",
  ],
  [
    "an XML text of 60 MB",
    "camt.053",
    () => concat(CAMT, "<Ntry><Amt>", repeat("1".repeat(MIB), 60)),
    "too long",
  ],
  [
    "an XML tag of 60 MB",
    "camt.053",
    () => concat(CAMT, '<Ntry a="', repeat("a".repeat(MIB), 60)),
    "too long",
  ],
  [
    "an SGML text of 60 MB",
    "ofx",
    () => concat("OFXHEADER:100\n\n<OFX><STMTRS><MEMO>", repeat("a".repeat(MIB), 60)),
    "too long",
  ],
  [
    "40,000 columns",
    "csv",
    () => concat("date,amount,text,", repeat("c,", 40_000), "\n", repeat("1,", 1_000_000)),
    "too many columns",
    { mapping },
  ],
  [
    "a CSV row of 60 million empty cells",
    "csv",
    () => concat("date,amount,text\n", repeat(",".repeat(MIB), 60)),
    "too many columns",
    { mapping },
  ],
  [
    "a CSV line of 60 MB",
    "csv",
    () => concat("date,amount,text\n", repeat("a".repeat(MIB), 60)),
    "too long",
    { mapping },
  ],
  [
    "a quotation mark never closed in 60 MB",
    "csv",
    () =>
      concat(
        'date,amount,text\n2026-01-05,1.00,"',
        repeat("2026-01-05,1.00,x\n".repeat(60_000), 60),
      ),
    "never closed",
    { mapping },
  ],
  [
    "an MT940 line of 60 MB",
    "mt940",
    () => concat(":20:A\n:25:1\n:60F:C260101EUR0,\n:86:", repeat("a".repeat(MIB), 60)),
    "too long",
  ],
  [
    "an MT940 field of a million empty lines",
    "mt940",
    () => concat(":20:A\n:25:1\n:60F:C260101EUR0,\n:86:", repeat("\n".repeat(1_000), 1_000)),
    "too long",
  ],
  [
    "a million totals of MT940",
    "mt940",
    () =>
      concat(
        ":20:A\n:25:1\n:28C:1\n:60F:C260101EUR0,\n",
        repeat(":90C:1EUR1,\n".repeat(1_000), 1_000),
      ),
    "too many totals",
  ],
  [
    "a million balances",
    "camt.053",
    () => concat(CAMT, repeat(BALANCE.repeat(100), 10_000)),
    "too many balances",
  ],
  [
    "a million aggregates of OFX within each other",
    "ofx",
    () => concat("OFXHEADER:100\n\n", repeat("<OFX>".repeat(1_000), 1_000)),
    "nested too deep",
  ],
  [
    "an OFX aggregate of a million tags",
    "ofx",
    function* () {
      yield "OFXHEADER:100\n\n<OFX><STMTRS><STMTTRN>";
      for (let nth = 0; nth < 1_000_000; nth++) yield `<T${nth}>x`;
    },
    "too many tags",
  ],
  [
    "an MT940 field of a million lines",
    "mt940",
    () =>
      concat(":20:A\n:25:1\n:60F:C260101EUR0,\n:86:", repeat("more text\n".repeat(1_000), 1_000)),
    "too long",
  ],
  [
    "a BAI2 record of a million continuations",
    "bai2",
    () => concat("01,1,2,260101,0200,1,,,2/\n", repeat("88,more\n".repeat(1_000), 1_000)),
    "too long",
  ],
  [
    "a JSON envelope of 60 MB",
    "json",
    () => concat('{"a":"', repeat("a".repeat(MIB), 60)),
    "near the beginning",
  ],
])("%s is refused quickly, long before its end", async (_, format, parts, message, options) => {
  const startedAt = process.cpuUsage();
  const { refused, taken } = await read(format, parts(), options);
  const { user, system } = process.cpuUsage(startedAt);
  expect(refused?.message).toContain(message);
  expect(taken).toBeLessThan(4 * MIB);
  expect((user + system) / 1000).toBeLessThan(3_000);
});

test.each([
  ["a cell of blanks after a digit", `a,b\n1${" ".repeat(60_000)}x,1\n2026-01-05,1\n`],
  ["a cell of blanks after a sign", `a,b\n-${" ".repeat(60_000)}x,1\n2026-01-05,1\n`],
  [
    "a column whose name is brackets",
    `date,amount,"${"(".repeat(60_000)}\nx"\n2026-01-05,1.00,5.00\n2026-01-06,2.00,7.00\n`,
  ],
  ["the beginning of OFX ten thousand times", "<x>".padEnd(64 * 1024, "<?OFX ")],
])("the format of a file is detected quickly: %s", (_, head) => {
  const startedAt = process.cpuUsage();
  try {
    detect(Buffer.from(head), { contentType: "text/csv" });
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
  }
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1000).toBeLessThan(1_000);
});

test("an amount of blanks is refused quickly", async () => {
  const { refusals, longest } = await read(
    "csv",
    [`date,amount,text\n2026-01-05,1${" ".repeat(100_000)}1(,x\n`],
    { mapping },
  );
  expect(refusals).toBe(1);
  expect(longest).toBeLessThan(1_000);
});

test("an entry of sixty texts of a MB is refused before they fill the memory", async () => {
  const { refused, taken } = await read(
    "camt.053",
    concat(CAMT, "<Ntry>", repeat(`<A>${"1".repeat(MIB - 64)}</A>`, 60)),
  );
  expect(refused?.message).toContain("too much text");
  expect(taken).toBeLessThan(36 * MIB);
});

test("CSV rows of different lengths take no longer", async () => {
  const milliseconds = async (row: string) => {
    const startedAt = process.cpuUsage();
    await read("csv", concat("date,amount,text\n", repeat(row.repeat(1_000), 100)), { mapping });
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1000;
  };
  // Alternating, and each the fastest of several rounds: other load slows single rounds, not the
  // fastest of both.
  let [usual, other] = [Infinity, Infinity];
  for (let round = 0; round < 3; round++) {
    usual = Math.min(usual, await milliseconds("2026-01-05,1.00,x\n"));
    other = Math.min(other, await milliseconds("\n"));
  }
  expect(other).toBeLessThan(usual);
});

test.each<[string, Format, (before: string, behind: string) => [string, string]]>([
  [
    "an NDJSON line of 60 MB",
    "ndjson",
    (before, behind) => [before, `${behind}\n{"amount":"1.00","value_date":"2026-01-05"}\n`],
  ],
  [
    "a JSON object of 60 MB",
    "json",
    (before, behind) => [`[${before}`, `${behind},{"amount":"1.00","value_date":"2026-01-05"}]`],
  ],
])("%s is refused alone and not stored, and later lines are read", async (_, format, around) => {
  const inUse = () => {
    // The second round collects the garbage of the first.
    for (let nth = 0; nth < 2; nth++) collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const [head, tail] = around('{"amount":"', '"}');
  const before = inUse();
  let heap = Infinity;
  /** Runs after all of the 60 MB has been read. */
  function* weighing(): Generator<string> {
    heap = inUse() - before;
    yield "";
  }
  const { lines, refusals, refused } = await read(
    format,
    concat(head, repeat("1".repeat(MIB), 60), weighing(), tail),
  );
  expect({ lines, refusals, refused }).toEqual({ lines: 1, refusals: 1, refused: undefined });
  expect(heap).toBeLessThan(40 * MIB);
});

test("an entry of 60,000 transactions is one line with its amount", async () => {
  const one = '<TxDtls><Amt Ccy="EUR">0.01</Amt></TxDtls>';
  const entry = ENTRY.replace("1.00", "600.00").replace("</Ntry>", "<NtryDtls>");
  const { lines, summary, refused } = await read(
    "camt.053",
    concat(CAMT, entry, repeat(one.repeat(1_000), 60), "</NtryDtls></Ntry>", CLOSED),
  );
  expect(refused).toBeUndefined();
  expect(lines).toBe(1);
  expect(summary.statements).toMatchObject([{ sum_minor: "60000", line_count: 1 }]);
});

test("refuses JSON that is nested a hundred thousand levels deep, with its line", async () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const { lines, refusals } = await read("ndjson", [
    `${deep}\n`,
    '{"amount":"1.00","value_date":"2026-01-05"}\n',
  ]);
  expect({ lines, refusals }).toEqual({ lines: 1, refusals: 1 });
});

test("describes the first 1,000 refusals of a file with an error in every line, and counts all", async () => {
  const { refusals, summary } = await read(
    "csv",
    concat("date,amount,text\n", repeat("x,y,z\n", 5_000)),
    { mapping },
  );
  expect(refusals).toBe(1_000);
  expect(summary).toMatchObject({ refused_count: 5_000, line_count: 0 });
});

test("stops reading at the limits of bytes and of lines", async () => {
  const parts = () => concat("date,amount,text\n", repeat("2026-01-05,1.00,x\n", 5_000));
  expect(
    (await read("csv", parts(), { mapping, limits: { lines: 4_999 } })).refused?.message,
  ).toContain("too many lines");
  expect(
    (await read("csv", parts(), { mapping, limits: { lines: 5_000 } })).refused,
  ).toBeUndefined();
  expect(
    (await read("csv", parts(), { mapping, limits: { bytes: 50_000 } })).refused?.message,
  ).toContain("too large");
});

test("never blocks the event loop for long, for any chunk size", async () => {
  const row = `2026-01-05,1.00,${"text ".repeat(20)}\n`;
  const { longest, whole, lines } = await read(
    "csv",
    concat("date,amount,text\n", [row.repeat(100_000)]),
    { mapping },
  );
  expect(lines).toBe(100_000);
  // CPU time; 5 ms and one piece are intended, the rest allows for a cold start. Without yielding
  // it would be the whole time.
  expect(longest).toBeLessThan(whole / 3);
});

test("an abandoned reader reads no more of the file", async () => {
  let taken = 0;
  const reading = readLines(
    (async function* () {
      for (const part of repeat("2026-01-05,1.00,x\n".repeat(1_000), 1_000)) {
        taken++;
        yield Buffer.from(taken === 1 ? `date,amount,text\n${part}` : part);
      }
    })(),
    { format: "csv", currency: "EUR", mapping },
  );
  for await (const _ of reading) break;
  expect(taken).toBeLessThan(10);
});

test.each<[string, string | Uint8Array, string]>([
  ["nothing", "", "The file is empty."],
  ["blank lines", " \r\n\n", "The file is empty."],
  ["a zip", "PK\x03\x04\x14\0\0\0\x08\0statement.csv", "a zip archive"],
  ["a workbook", "PK\x03\x04\x14\0\x06\0\x08\0[Content_Types].xml", "an Excel workbook"],
  ["an old workbook", Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1), "an old Excel workbook"],
  ["gzip", Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0), "a gzip archive"],
  ["a PDF", "%PDF-1.7\n%âãÏÓ", "a PDF"],
  ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10), "an image"],
  ["a web page", "<!DOCTYPE html><html><body>Please log in</body></html>", "a web page"],
  [
    "other XML",
    '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"/>',
    "This is XML, but no statement.",
  ],
  ["a version to come", CAMT.replace("001.02", "001.14"), "This version is not known."],
  [
    "XML in an encoding of mainframes",
    '<?xml version="1.0" encoding="IBM037"?><Document/>',
    "The XML's encoding is not known.",
  ],
  [
    "XML in an encoding that is a word of JavaScript",
    '<?xml version="1.0" encoding="constructor"?><Document/>',
    "encoding is not known",
  ],
  [
    "XML with a document type",
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>${CAMT}`,
    "document type",
  ],
  [
    "random bytes",
    Uint8Array.from({ length: 2_000 }, (_, at) => (at * 7_919) % 256),
    "This is not a text file.",
  ],
  [
    "a letter",
    "Dear Sirs,\nplease find our statement below.\nYours\n",
    "This is not a format we read.",
  ],
])("%s is refused in plain words", (_, content, message) => {
  const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  expect(() => detect(bytes, { fileName: "statement" })).toThrow(message);
  expect(() => detect(bytes)).toThrow(FileRefused);
});
