/** Workbooks, tables named .xls, and packed files: read like the equivalent CSV. */
import { gzipSync } from "node:zlib";
import type { WriteSheet } from "hucre/xlsx";
import { writeXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import type { Mapping } from "../mapping.ts";
import { HEADER, handMade, imported, problemOf, text, zipOf } from "./files.test-support.ts";

const CSV = "Date,Text,Amount\n2026-03-13,a,10.00\n2026-03-14,b,-20.50\n";
const LINES = ["2026-03-13 1000 a", "2026-03-14 -2050 b"];

function sheet(name: string, rows: WriteSheet["rows"], style?: WriteSheet["columns"]): WriteSheet {
  return { name, rows: rows ?? [], ...(style && { columns: style }) };
}

const TABLE = [
  ["Date", "Text", "Amount"],
  [new Date("2026-03-13T00:00:00Z"), "a", 10],
  [new Date("2026-03-14T00:00:00Z"), "b, and more", -20.5],
];
const workbook = (...sheets: WriteSheet[]) => writeXlsx({ sheets });
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

  test("reads numbers by type, regardless of the separator in the source's mapping", async () => {
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

  test("never unpacks more than a file's header states", async () => {
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
