/** What a workbook shows beyond its values: sides, currencies, results and swapped days. */
import { writeXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { HEADER, handMade, imported, problemOf, text } from "./files.test-support.ts";

/** Two rows with 45.20 and 300.00, each with a number format. */
const shown = (first: string, second: string, signs: [string, string] = ["", ""]) =>
  handMade(
    `${HEADER}<row r="2"><c r="A2" s="1"><v>46297</v></c><c r="B2" s="4"><v>${signs[0]}45.2</v></c></row><row r="3"><c r="A3" s="1"><v>46310</v></c><c r="B3" s="5"><v>${signs[1]}300</v></c></row>`,
    {},
    [first, second],
  );
const OUT_AND_IN = ["2026-10-02 -4520", "2026-10-15 30000"];

describe("the number format of an amount", () => {
  test.each([
    ["names debits and credits", '""0.00" Dr"', '""0.00" Cr"'],
    ["names them in German", '#,##0.00" S"', '#,##0.00" H"'],
    ["names them by a condition", '[>=0]0.00" Dr";0.00" Cr"', '[<0]0.00" Dr";0.00" Cr"'],
    ["has a minus before positive numbers", "-#,##0.00", "#,##0.00"],
    ["has a minus after positive numbers", "0.00-", "0.00"],
    ["has brackets around positive numbers", "(#,##0.00)", "#,##0.00_);(#,##0.00)"],
    ["has a minus for positive numbers alone", "#,##0.00-;#,##0.00", "#,##0.00"],
  ])("%s", async (_, first, second) => {
    const { lines, refusals } = await imported(await shown(first, second), "a.xlsx");
    expect(refusals).toEqual([]);
    expect(lines).toEqual(OUT_AND_IN);
  });

  test.each(["#,##0.00-;#,##0.00", "-#,##0.00;#,##0.00", "(0.00);0.00", "[>=0]0.00-;0.00"])(
    "reverses the signs of the values: %s",
    async (format) => {
      const { lines } = await imported(shown(format, format, ["", "-"]), "a.xlsx");
      expect(lines).toEqual(OUT_AND_IN);
    },
  );

  /** Four rows with 45.20 and a last row, with the first number format. */
  const withLast = (format: string, last: string) =>
    handMade(
      HEADER +
        [45.2, 45.2, 45.2, 45.2, last]
          .map(
            (value, at) =>
              `<row r="${at + 2}"><c r="A${at + 2}" s="1"><v>46297</v></c><c r="B${at + 2}" s="4"><v>${value}</v></c></row>`,
          )
          .join(""),
      {},
      [format],
    );

  test.each([
    ["0.00-", "--7"],
    ["-#,##0.00", "--7"],
    ["(#,##0.00)", "--7"],
    ['0.00" DR";0.00" CR"', "-7 CR"],
  ])("contradicts the sign: such a row is refused: %s", async (format, found) => {
    const { lines, refusals } = await imported(withLast(format, "-7"), "a.xlsx");
    expect(lines).toEqual(Array(4).fill("2026-10-02 -4520"));
    expect(refusals).toEqual([
      expect.stringMatching(new RegExp(`^6: .*not an amount.*"${found}"`)),
    ]);
  });

  test.each([
    ["shows negative numbers in brackets", "#,##0.00_);(#,##0.00)"],
    ["shows negative numbers in red alone", "#,##0.00;[Red]#,##0.00"],
    ["shows the source's currency", '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-'],
    ["shows thousands", "#,##0,"],
    ["shows a unit", '0.00" net"'],
  ])("%s, and the value has the sign", async (_, format) => {
    const { lines } = await imported(await shown(format, format, ["-", ""]), "a.xlsx");
    expect(lines).toEqual(OUT_AND_IN);
  });

  test("names another currency, which its rows have", async () => {
    const { lines } = await imported(
      await shown("#,##0.00\\ [$€-407]", "[$USD] #,##0.00", ["-", ""]),
      "a.xlsx",
    );
    expect(lines).toEqual(["2026-10-02 -4520", "2026-10-15 30000 USD"]);
  });

  test("has a symbol of several currencies, which is asked about", async () => {
    const { question } = await imported(await shown('"$"0.00', '"$"0.00'), "a.xlsx");
    expect(question?.about).toBe("currency");
  });

  test("of a document's number has zeros before it", async () => {
    const header = HEADER.replace("Zweck", "Text");
    const row =
      '<row r="2"><c r="A2" s="1"><v>46297</v></c><c r="B2"><v>7</v></c><c r="C2" s="4"><v>42</v></c></row>';
    const { lines } = await imported(handMade(header + row, {}, ["000000"]), "a.xlsx");
    expect(lines).toEqual(["2026-10-02 700 000042"]);
  });

  test("of a document's number is no sign", async () => {
    const header = `<row r="1">${text("A1", "Datum")}${text("B1", "Betrag")}${text("C1", "Zweck")}</row>`;
    const row =
      '<row r="2"><c r="A2" s="1"><v>46297</v></c><c r="B2"><v>7</v></c><c r="C2" s="4"><v>42</v></c></row>';
    const { lines } = await imported(handMade(header + row, {}, ['"S-"0000']), "a.xlsx");
    expect(lines).toEqual(["2026-10-02 700 42"]);
  });
});

describe("a formula", () => {
  const PAIR = `<row r="1">${text("A1", "Date")}${text("B1", "Debit")}${text("C1", "Credit")}</row>`;
  const row = (nth: number, debit: string, credit: string) =>
    `<row r="${nth}"><c r="A${nth}" s="1"><v>46297</v></c>${debit}${credit}</row>`;
  const rows = (computed: string) =>
    PAIR +
    row(2, `<c r="B2"><f>D2*2</f>${computed}</c>`, '<c r="C2"><v>0</v></c>') +
    row(3, '<c r="B3"><v>0</v></c>', '<c r="C3"><v>300</v></c>');
  const workbookXml =
    '<workbook xmlns:r="urn:r"><sheets><sheet name="Bank" sheetId="1" r:id="rId1"/></sheets><calcPr fullCalcOnLoad="1"/></workbook>';

  test.each([
    ["without a stored result", handMade(rows(""))],
    [
      "whose result a program left at 0",
      handMade(rows("<v>0</v>"), { "xl/workbook.xml": workbookXml }),
    ],
    [
      "that failed",
      handMade(
        rows("").replace('<c r="B2">', '<c r="B2" t="e">').replace("</f>", "</f><v>#REF!</v>"),
      ),
    ],
  ])("%s refuses its row", async (_, file) => {
    const { lines, refusals } = await imported(file, "a.xlsx");
    expect(lines).toEqual(["2026-10-02 30000"]);
    expect(refusals?.[0]).toMatch(/^2: .*not an amount. Found "(?:=D2\*2|#REF!)"/);
  });

  test("of a total that a program left without a result is no line", async () => {
    const total = '<row r="3"><c r="B3"><f>SUM(B2:B2)</f></c></row>';
    const row = '<row r="2"><c r="A2" s="1"><v>46297</v></c><c r="B2"><v>7</v></c></row>';
    const { lines, refusals } = await imported(handMade(HEADER + row + total), "a.xlsx");
    expect({ lines, refusals }).toEqual({ lines: ["2026-10-02 700"], refusals: [] });
  });

  test("with the result 0 is read if another formula's result is stored", async () => {
    const formulas =
      PAIR +
      row(2, '<c r="B2"><f>D2</f><v>0</v></c>', '<c r="C2"><f>E2</f><v>300</v></c>') +
      row(3, '<c r="B3"><f>D3</f><v>7</v></c>', '<c r="C3"><f>E3</f><v>0</v></c>');
    const file = handMade(formulas, { "xl/workbook.xml": workbookXml });
    const { lines } = await imported(file, "a.xlsx");
    expect(lines).toEqual(["2026-10-02 30000", "2026-10-02 -700"]);
  });

  test("with the result 0 is read far above another formula's result", async () => {
    const count = 6_000;
    const zeros = Array.from({ length: count }, (_, at) =>
      row(at + 2, "<c><f>D2</f><v>0</v></c>", "<c><v>300</v></c>"),
    );
    const result = row(count + 2, "<c><f>D2</f><v>7</v></c>", "<c><f>E2</f><v>0</v></c>");
    const file = handMade(PAIR + zeros.join("") + result, { "xl/workbook.xml": workbookXml });
    const { lines, refusals } = await imported(file, "a.xlsx");
    expect(refusals).toEqual([]);
    expect(lines).toHaveLength(count + 1);
  });

  test("with the result 0 is read if a formula of another sheet has a result", async () => {
    const sheets =
      '<sheet name="Bank" sheetId="1" r:id="rId1"/><sheet name="Sums" sheetId="2" r:id="rId2"/>';
    const relation = (nth: number) =>
      `<Relationship Id="rId${nth}" Type="http://x/worksheet" Target="worksheets/sheet${nth}.xml"/>`;
    const file = handMade(rows("<v>0</v>"), {
      "xl/workbook.xml": workbookXml.replace(/<sheet .*?\/>/, sheets),
      "xl/_rels/workbook.xml.rels": `<Relationships>${relation(1)}${relation(2)}</Relationships>`,
      "xl/worksheets/sheet2.xml":
        '<worksheet><sheetData><row r="1"><c r="A1" t="str"><f>B1</f><v>October</v></c></row></sheetData></worksheet>',
    });
    const { lines } = await imported(file, "a.xlsx");
    expect(lines).toEqual(["2026-10-02 0", "2026-10-02 30000"]);
  });

  test("with the result 0 is read in a computed workbook", async () => {
    const { lines } = await imported(handMade(rows("<v>0</v>")), "a.xlsx");
    expect(lines).toEqual(["2026-10-02 0", "2026-10-02 30000"]);
  });
});

describe("rows that a sheet hides", () => {
  const row = (nth: number, hidden = "") =>
    `<row r="${nth}"${hidden}><c r="A${nth}" s="1"><v>46297</v></c><c r="B${nth}"><v>${nth}</v></c></row>`;

  test("are read, with a warning", async () => {
    const rows = [2, 3, 4, 5, 6, 7, 8, 9].map((nth) => row(nth, nth > 2 ? ' hidden="1"' : ""));
    const file = handMade(HEADER + rows.join(""));
    const { lines, refusals, warnings } = await imported(file, "a.xlsx");
    expect(lines).toHaveLength(8);
    expect(refusals).toEqual([]);
    expect(warnings).toEqual([
      "The sheet hides rows, which were read like the others: 3, 4, 5, 6, 7 and 2 more.",
    ]);
  });

  test("and that have nothing in them need no warning", async () => {
    const file = handMade(`${HEADER}${row(2)}<row r="3" hidden="1"><c r="A3" s="1"/></row>`);
    expect((await imported(file, "a.xlsx")).warnings).toEqual([]);
  });
});

describe("days that a spreadsheet swapped", () => {
  const day = (row: number, cell: string) =>
    `<row r="${row}">${cell}<c r="B${row}"><v>7</v></c></row>`;
  const typed = (row: number, serial: number) => `<c r="A${row}" s="1"><v>${serial}</v></c>`;

  test("refuse the file, because days up to the 12th look right", async () => {
    const file = handMade(
      HEADER + day(2, typed(2, 46063)) + day(3, text("A3", "15/10/2026")) + day(4, typed(4, 46152)),
    );
    expect(await problemOf(file, "a.xlsx")).toMatch(/swapped the days and months.*15\/10\/2026/);
  });

  test("are none if a typed day is after the 12th: the texts are refused alone", async () => {
    const file = handMade(
      HEADER + day(2, typed(2, 46310)) + day(3, text("A3", "15/10/2026")) + day(4, typed(4, 46311)),
    );
    const { lines, refusals } = await imported(file, "a.xlsx");
    expect(lines).toHaveLength(2);
    expect(refusals).toHaveLength(1);
  });

  test.each([
    ["above the table", (row: string) => `<row r="1">${row}</row>`, 2],
    ["below the table", (row: string) => `<row r="9">${row}</row>`, 1],
    [
      "of the balance below the table",
      (row: string) => `<row r="9">${row}<c r="B9"><v>14</v></c>${text("C9", "Endsaldo")}</row>`,
      1,
    ],
  ])("are none for a text %s", async (_, written, header) => {
    const row = header === 2 ? written(text("A1", "15.10.2026")) : "";
    const below = header === 1 ? written(text("A9", "15.10.2026")) : "";
    const head = HEADER.replaceAll("1", String(header));
    const file = handMade(row + head + day(3, typed(3, 46297)) + day(4, typed(4, 46298)) + below);
    const { lines } = await imported(file, "a.xlsx");
    expect(lines).toEqual(["2026-10-02 700", "2026-10-03 700"]);
  });
});

test.each(["[$₪-40D]\\ #,##0.00", "#,##0.00\\ [$din.-81A]"])(
  "the letters of a currency aren't read as a day: %s",
  async (format) => {
    const row = '<row r="2"><c r="A2" s="1"><v>46297</v></c><c r="B2" s="4"><v>7</v></c></row>';
    const currency = format.includes("₪") ? " ILS" : "";
    const { lines } = await imported(handMade(HEADER + row, {}, [format]), "a.xlsx");
    expect(lines).toEqual([`2026-10-02 700${currency}`]);
  },
);

test("a sheet without rows isn't asked about if another has rows", async () => {
  const summary = {
    name: "Summary",
    rows: [
      ["Opening balance", 100],
      ["Closing balance", 7],
    ],
  };
  const table = {
    name: "Bank",
    rows: [
      ["Date", "Text", "Amount"],
      ["2026-10-02", "a", -45.2],
    ],
  };
  const { lines } = await imported(await writeXlsx({ sheets: [summary, table] }), "a.xlsx");
  expect(lines).toEqual(["2026-10-02 -4520 a"]);
});

describe("a web page named .xls", () => {
  const table = (day: string, above = "") =>
    `<table>${above}<tr><th>Date</th><th>Text</th><th>Amount</th></tr><tr><td>${day}</td><td>a</td><td>-45.20</td></tr></table>`;
  const page = (body: string) => Buffer.from(`<html><body>${body}</body></html>`);

  test.each([
    [
      "between tables",
      `<h2>Pending</h2>${table("2026-10-20")}<h2>Booked</h2>${table("2026-10-02")}`,
    ],
    [
      "in a caption",
      `${table("2026-10-20", "<caption>Pending</caption>")}${table("2026-10-02", "<caption>Booked</caption>")}`,
    ],
    [
      "with a note below it",
      `<h2>Pending</h2><p>These transactions may still change.</p>${table("2026-10-20")}<p>Transactions</p>${table("2026-10-02")}`,
    ],
  ])("has headings %s", async (_, body) => {
    const { lines } = await imported(page(body), "a.xls");
    expect(lines).toEqual(["2026-10-02 -4520 a"]);
  });

  test.each([
    ["a link", '<h1>October</h1><a href="#p">Pending</a>'],
    ["a choice", "<select><option>Booked</option><option>Pending</option></select>"],
    ["a script", '<script>let shown = "a"; </script><script>"Pending"</script>'],
    [
      "the name of an Excel sheet",
      "<!--[if gte mso 9]><xml><x:Name>Pending</x:Name></xml><![endif]-->",
    ],
    ["the label of an amount", "<p>Pending</p><p>12.00</p>"],
    ["a heading without rows", "<h2>Pending</h2><p>There are no pending transactions.</p>"],
    ["the page's number", `${table("2026-10-01")}<p>Page 2 of 2</p>`],
  ])("has rows below %s", async (_, above) => {
    const { lines, refusals } = await imported(page(above + table("2026-10-02")), "a.xls");
    expect(lines?.at(-1)).toBe("2026-10-02 -4520 a");
    expect(refusals).toEqual([]);
  });
});

test.each([
  [
    "a workbook as XML",
    '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
    /Excel workbook as XML.*as CSV/,
  ],
  ["QIF", "!Type:Bank\nD10/02/2026\nT-45.20\n^\n", /Quicken file \(QIF\).*camt.053/],
  [
    "IIF, which has each amount twice",
    "!TRNS\tTRNSTYPE\tDATE\tACCNT\tAMOUNT\n!SPL\tTRNSTYPE\tDATE\tACCNT\tAMOUNT\nTRNS\tCHECK\t10/02/2026\tBank\t-45.20\nSPL\tCHECK\t10/02/2026\tRent\t45.20\n",
    /QuickBooks file \(IIF\).*camt.053/,
  ],
])("refuses %s by its name", async (_, file, problem) => {
  expect(await problemOf(Buffer.from(file), "a.txt")).toMatch(problem);
});
