/** Workbooks, tables named .xls, and packed files: read like the equivalent CSV. */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { WriteSheet } from "hucre/xlsx";
import { writeXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { openFile } from "../../opened-file.ts";
import { settleMapping } from "../../settle-mapping.ts";
import type { Mapping } from "../mapping.ts";
import { readLines } from "../read-lines.ts";

const CSV = "Date,Text,Amount\n2026-03-13,a,10.00\n2026-03-14,b,-20.50\n";
const LINES = ["2026-03-13 1000 a", "2026-03-14 -2050 b"];

async function imported(
  bytes: Uint8Array,
  fileName: string,
  given: Mapping | null = null,
  isPart = false,
) {
  const stream = new Blob([Buffer.from(bytes)]).stream();
  const hints = { fileName, contentType: "application/octet-stream", isPart };
  const file = await openFile(stream, hints, new Headers());
  const { mapping, questions } = await settleMapping(file, given, "EUR");
  if (questions[0]) return { question: questions[0] };
  const options = { format: file.format, currency: "EUR", ...(mapping && { mapping }) };
  const lines: string[] = [];
  const refusals: string[] = [];
  for await (const batch of readLines(file.bytes, options)) {
    for (const line of batch.lines)
      lines.push(`${line.value_date} ${line.amount_minor} ${line.description ?? ""}`.trim());
    refusals.push(...batch.refusals.map(({ line, message }) => `${line}: ${message}`));
  }
  return { lines, refusals, mapping };
}

async function problemOf(bytes: Uint8Array, fileName: string): Promise<string> {
  const failed = await imported(bytes, fileName).catch((error: { errors: unknown }) => error);
  return JSON.stringify((failed as { errors?: unknown }).errors);
}

/** A zip with these files, stored or deflated. `says`: a wrong size for the header. */
function zipOf(files: Record<string, string | Buffer>, says?: number): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(crc32(bytes), 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(says ?? bytes.length, 22);
    header.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    header.copy(central, 6, 4, 28);
    central.writeUInt32LE(offset, 42);
    locals.push(header, Buffer.from(name), packed);
    centrals.push(central, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

function sheet(name: string, rows: WriteSheet["rows"], style?: WriteSheet["columns"]): WriteSheet {
  return { name, rows: rows ?? [], ...(style && { columns: style }) };
}

const TABLE = [
  ["Date", "Text", "Amount"],
  [new Date("2026-03-13T00:00:00Z"), "a", 10],
  [new Date("2026-03-14T00:00:00Z"), "b, and more", -20.5],
];
const workbook = (...sheets: WriteSheet[]) => writeXlsx({ sheets });
const sheetXml = (rows: string) =>
  `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
const handMade = (rows: string, more: Record<string, string> = {}) =>
  zipOf({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml":
      '<workbook xmlns:r="urn:r"><workbookPr/><sheets><sheet name="Bank" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/styles.xml":
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="d.m.yy;@"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="4"/></cellXfs></styleSheet>',
    "xl/worksheets/sheet1.xml": sheetXml(rows),
    ...more,
  });
const text = (at: string, value: string) =>
  `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
const HEADER = `<row r="1">${text("A1", "Datum")}${text("B1", "Betrag")}${text("C1", "Zweck")}</row>`;

describe("a workbook", () => {
  test("is read by the types of its cells", async () => {
    const { lines, refusals, mapping } = await imported(
      await workbook(sheet("Bank", TABLE)),
      "a.xlsx",
    );
    expect(refusals).toEqual([]);
    expect(lines).toEqual(["2026-03-13 1000 a", "2026-03-14 -2050 b, and more"]);
    expect(mapping?.sheet).toBe("Bank");
  });

  test.each([
    [
      "a day by its format, not as displayed",
      '<c r="A2" s="1"><v>46094</v></c><c r="B2" s="3"><v>1234.5</v></c>',
      "2026-03-13 123450",
    ],
    [
      "a format of the workbook's own",
      '<c r="A2" s="2"><v>46094.75</v></c><c r="B2"><v>-3</v></c>',
      "2026-03-13 -300",
    ],
    [
      "a day as text of ISO 8601",
      '<c r="A2" t="d"><v>2026-03-13T00:00:00</v></c><c r="B2"><v>7</v></c>',
      "2026-03-13 700",
    ],
    [
      "noise of binary fractions",
      '<c r="A2" s="1"><v>46094</v></c><c r="B2"><v>100.09999999999999</v></c>',
      "2026-03-13 10010",
    ],
    [
      "the stored value of a formula",
      '<c r="A2" s="1"><v>46094</v></c><c r="B2"><f>SUM(D2:E2)</f><v>12.34</v></c>',
      "2026-03-13 1234",
    ],
    [
      "an exponent",
      '<c r="A2" s="1"><v>46094</v></c><c r="B2"><v>1.5E3</v></c>',
      "2026-03-13 150000",
    ],
    ["cells without their address", '<c s="1"><v>46094</v></c><c><v>9</v></c>', "2026-03-13 900"],
  ])("has %s", async (_, cells, line) => {
    const { lines, refusals } = await imported(
      handMade(`${HEADER}<row r="2">${cells}</row>`),
      "a.xlsx",
    );
    expect(refusals).toEqual([]);
    expect(lines).toEqual([line]);
  });

  test("refuses a number with three decimals and names sheet and row", async () => {
    const rows = `${HEADER}<row r="5"><c r="A5" s="1"><v>46094</v></c><c r="B5"><v>1.234</v></c></row>`;
    const { lines, refusals } = await imported(handMade(rows), "a.xlsx");
    expect(lines).toEqual([]);
    expect(refusals?.[0]).toMatch(/^5: Sheet "Bank": More decimals than EUR has/);
  });

  test("reads numbers by type, whatever separator a source's mapping has for its CSV", async () => {
    const mapping: Mapping = {
      fields: { booked_date: "Datum", amount: "Betrag", description: "Zweck" },
      date_format: "DD.MM.YYYY",
      decimal_separator: ",",
      delimiter: ";",
      encoding: "windows-1252",
    };
    const rows = `${HEADER}<row r="2"><c r="A2" s="1"><v>46094</v></c><c r="B2"><v>1234.5</v></c>${text("C2", "Müller")}</row>`;
    const { lines } = await imported(handMade(rows), "a.xlsx", mapping);
    expect(lines).toEqual(["2026-03-13 123450 Müller"]);
  });

  test("asks which of several sheets with tables is meant, and reads the answer", async () => {
    const notes = sheet("Notes", [["Nothing here"], ["but words"]]);
    const three = await workbook(notes, sheet("March", TABLE), sheet("April", TABLE));
    const { question } = await imported(three, "a.xlsx");
    expect(question?.about).toBe("sheet");
    expect(question?.choices.map(({ value }) => value)).toEqual(["March", "April"]);
    const { lines } = await imported(three, "a.xlsx", { fields: {}, sheet: "April" });
    expect(lines).toHaveLength(2);
    expect(await problemOf(await workbook(notes), "a.xlsx")).toMatch(/No sheet has a table/);
  });

  test("never unpacks more than a file's header says", async () => {
    const bomb = zipOf({ "xl/workbook.xml": Buffer.alloc(9 * 1024 * 1024, " ") });
    expect(await problemOf(bomb, "a.xlsx")).toMatch(/too large once it is unpacked/);
    const liar = zipOf({ "xl/workbook.xml": Buffer.alloc(9 * 1024 * 1024, " ") }, 100);
    expect(await problemOf(liar, "a.xlsx")).toMatch(/can't be unpacked/);
  });

  test.each([
    ["rows", '<row r="2000000"><c><v>1</v></c></row>', /too many rows/],
    ["columns", '<row r="2"><c r="XFD2"><v>1</v></c></row>', /too many columns/],
  ])("has bounds for its %s", async (_, rows, problem) => {
    expect(await problemOf(handMade(HEADER + rows), "a.xlsx")).toMatch(problem);
  });
});

test("a web page named .xls is read by its table, and refused without one", async () => {
  const html =
    "<html><head><meta charset='utf-8'></head><body><table><tr><th>Fecha</th><th>Concepto</th><th>Importe</th></tr>" +
    "<tr><td>13/03/2026</td><td>Recibo &amp; luz</td><td>-1.050,00</td></tr><tr><td>14/03/2026</td><td>b</td><td>20,00</td></tr></table></body></html>";
  const { lines } = await imported(Buffer.from(html), "movimientos.xls");
  expect(lines).toEqual(["2026-03-13 -105000 Recibo & luz", "2026-03-14 2000 b"]);
  expect(await problemOf(Buffer.from("<html><body>Sign in</body></html>"), "a.xls")).toMatch(
    /web page/,
  );
});

describe("a packed file", () => {
  test.each([
    ["gzip", gzipSync(CSV), "a.csv.gz"],
    ["zip", zipOf({ "a.csv": CSV }), "a.zip"],
    ["zip within gzip", gzipSync(zipOf({ "a.csv": CSV })), "a.zip.gz"],
    ["zip of a Mac", zipOf({ "a.csv": CSV, "__MACOSX/._a.csv": "x" }), "a.zip"],
  ])("is unpacked: %s", async (_, bytes, name) => {
    expect((await imported(bytes, name)).lines).toEqual(LINES);
  });

  test("of any format is read", async () => {
    const mt940 =
      ":20:A\n:25:DE1\n:28C:1/1\n:60F:C260312EUR0,00\n:61:2603130313C10,00NTRFREF\n:86:x\n:62F:C260313EUR10,00\n-\n";
    expect((await imported(gzipSync(mt940), "a.sta.gz")).lines).toHaveLength(1);
  });

  test("is refused with several files, a missing end or too many layers", async () => {
    expect(await problemOf(zipOf({ "a.csv": CSV, "b.csv": CSV }), "a.zip")).toMatch(/one by one/);
    const packed = gzipSync(CSV.repeat(10_000));
    expect(await problemOf(packed.subarray(0, packed.length - 10), "a.gz")).toMatch(
      /unexpected end/,
    );
    expect(await problemOf(gzipSync(gzipSync(gzipSync(CSV))), "a.gz")).toMatch(/gzip archive/);
  });

  test("with only its beginning is read as far as possible", async () => {
    const many = Array.from({ length: 20_000 }, (_, nth) => `2026-03-13,line ${nth},${nth}.00\n`);
    const packed = gzipSync(`Date,Text,Amount\n${many.join("")}`);
    const { lines } = await imported(packed.subarray(0, 60_000), "a.csv.gz", null, true);
    expect(lines?.length).toBeGreaterThan(5_000);
  });
});
