import { expect, test } from "vitest";
import { type Entry, type EntryBatch, fileNameOf } from "../contract.ts";
import { withDefaultSettings } from "../rules/stored.ts";
import { datev } from "./datev-extf.ts";
import { type EntryFile, twoDecimals } from "./entry-file-writer.ts";
import { netsuite } from "./netsuite.ts";
import { quickbooks, quickbooksIif } from "./quickbooks.ts";
import { sap } from "./sap.ts";
import { encodeWindows1252 } from "./windows-1252.ts";
import { splitIntoParts } from "./writers.ts";
import { xero } from "./xero.ts";

const file: EntryFile = {
  batch: {
    number: "2026-0012",
    posting_date: "2026-10-31",
    created_at: "2026-11-03T08:15:00.123Z",
    reconciliation_name: "Bank, October",
  } as EntryBatch,
  ledger: withDefaultSettings({
    datev_consultant: 29_098,
    datev_client: 55_003,
    fiscal_year_month: 11,
    sap_company_code: "1000",
  }),
  currency: "EUR",
  format: "csv",
};
const entry = {
  place: 3,
  currency: "EUR",
  amount_minor: 123_456,
  difference_minor: -123_456,
  debit_account: "4970",
  credit_account: "1200",
  tax_code: null,
  cost_center: "200",
  text: "Gebühr",
} as Entry;
const taxed = { ...entry, tax_code: "Tax Exempt" };

test("DATEV: a header of 31 fields, and 125 columns in every row", () => {
  const [header = "", columns = ""] = datev.header(file).split("\r\n");
  expect(header).toBe(
    '"EXTF";700;21;"Buchungsstapel";13;20261103081500123;;"RE";"";"";29098;55003;20251101;4;20261001;20261031;"2026-0012 Bank, October";"";1;0;0;"EUR";;"";;;"";;;"";""',
  );
  expect([header.split(";").length, columns.split(";").length]).toEqual([31, 125]);
  const cells = datev.rows(entry, file).trimEnd().split(";");
  expect(cells).toHaveLength(125);
  expect(cells.slice(0, 14)).toEqual([
    "1234,56",
    '"S"',
    '"EUR"',
    "",
    "",
    '""',
    "4970",
    "1200",
    '""',
    "3110",
    '"2026-0012/3"',
    '""',
    "",
    '"Gebühr"',
  ]);
  const at = (name: string) => cells[columns.split(";").indexOf(name)];
  expect([at("KOST1 - Kostenstelle"), at("Festschreibung")]).toEqual(['"200"', "0"]);
});

test("DATEV: a text is cut at 60 characters, and a formula and quotes are escaped", () => {
  const row = datev.rows({ ...entry, text: `="x"${"y".repeat(80)}` }, file);
  expect(row).toContain(`"'=""x""${"y".repeat(55)}"`);
});

test.each<[string, Partial<Entry>]>([
  ["an account of letters", { debit_account: "Bank fees" }],
  ["an account longer than a personal one", { credit_account: "123456" }],
  ["a tax code that is no key", { tax_code: "VAT 19" }],
  ["a third decimal", { currency: "KWD", amount_minor: 1_001 }],
  ["eleven digits before the comma", { amount_minor: 1_000_000_000_000 }],
])("DATEV refuses %s, and names the entry", (_what, fault) => {
  expect(() => datev.rows({ ...entry, ...fault }, file)).toThrow(/^Entry 2026-0012\/3: /);
});

test("Xero: two lines of one narration, whose amounts cancel out, and a tax rate in each", () => {
  expect(`${xero.header(file)}${xero.rows(taxed, file)}`).toBe(
    "*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1\r\n" +
      "2026-0012/3 Gebühr,31/10/2026,Gebühr,4970,Tax Exempt,1234.56,Cost centre,200\r\n" +
      "2026-0012/3 Gebühr,31/10/2026,Gebühr,1200,Tax Exempt,-1234.56,Cost centre,200\r\n",
  );
  expect(() => xero.rows(entry, file)).toThrow(/tax rate in Xero/);
});

test("QuickBooks Online: a debit and a credit of one journal number", () => {
  expect(`${quickbooks.header(file)}${quickbooks.rows(entry, file)}`).toBe(
    "Journal No.,Journal Date,Account Name,Debits,Credits,Description,Class,Currency\r\n" +
      "2026-0012/3,10/31/2026,4970,1234.56,,Gebühr,200,EUR\r\n" +
      "2026-0012/3,10/31/2026,1200,,1234.56,Gebühr,200,EUR\r\n",
  );
});

test("QuickBooks Desktop: TRNS, SPL and ENDTRNS, with no tab or line end from a text", () => {
  expect(quickbooksIif.header(file).split("\r\n")[0]).toBe(
    "!TRNS\tTRNSTYPE\tDATE\tACCNT\tCLASS\tAMOUNT\tDOCNUM\tMEMO",
  );
  expect(quickbooksIif.rows({ ...entry, text: "a\tb\r\nc" }, file)).toBe(
    "TRNS\tGENERAL JOURNAL\t10/31/2026\t4970\t200\t1234.56\t260012-3\t2026-0012/3 a b  c\r\n" +
      "SPL\tGENERAL JOURNAL\t10/31/2026\t1200\t200\t-1234.56\t260012-3\t2026-0012/3 a b  c\r\n" +
      "ENDTRNS\r\n",
  );
});

test("NetSuite: rows of one external ID, which a second import doesn't duplicate", () => {
  expect(netsuite.rows(entry, file)).toBe(
    'tieout-2026-0012/3,10/31/2026,EUR,"Bank, October",4970,1234.56,,Gebühr,200,\r\n' +
      'tieout-2026-0012/3,10/31/2026,EUR,"Bank, October",1200,,1234.56,Gebühr,200,\r\n',
  );
});

test("SAP: posting keys 40 and 50, the company code, and a number that is never cut", () => {
  expect(sap.rows(entry, file).split("\r\n").slice(0, 2)).toEqual([
    "1000\tSA\t20261031\t20261031\tEUR\t2026-0012/3\tBank, October\t40\t4970\t1234.56\t\t200\tGebühr",
    "1000\tSA\t20261031\t20261031\tEUR\t2026-0012/3\tBank, October\t50\t1200\t1234.56\t\t\tGebühr",
  ]);
  expect(() => sap.rows({ ...entry, place: 1_000_000 }, file)).toThrow(/document number/);
  expect(() => sap.header({ ...file, ledger: withDefaultSettings({}) })).toThrow(/company code/);
});

/** Entries that credit the rule's account, in both orders of the accounts. */
const refund = { ...taxed, tax_code: "9", difference_minor: 123_456 };
const swapped = { ...refund, debit_account: "1200", credit_account: "4970" };

test("the tax code and the cost centre go to the account of the rule, not to the one it is paid from", () => {
  const cost = { ...refund, difference_minor: -123_456 };
  const [columns = ""] = datev.header(file).split("\r\n").slice(1);
  const ofDatev = (each: Entry) => {
    const cells = datev.rows(each, file).trimEnd().split(";");
    return [
      "Soll/Haben-Kennzeichen",
      "Konto",
      "Gegenkonto (ohne BU-Schlüssel)",
      "BU-Schlüssel",
    ].map((name) => cells[columns.split(";").indexOf(name)]);
  };
  // DATEV's key belongs to the contra account.
  expect(ofDatev(cost)).toEqual(['"H"', "1200", "4970", '"9"']);
  expect(ofDatev(swapped)).toEqual(['"S"', "1200", "4970", '"9"']);
  const lines = (rows: string) => rows.trimEnd().split("\r\n");
  const ofSap = (each: Entry) =>
    lines(sap.rows(each, file)).map((row) => row.split("\t").slice(8, 12));
  expect(ofSap(cost)).toEqual([
    ["4970", "1234.56", "9", "200"],
    ["1200", "1234.56", "", ""],
  ]);
  expect(ofSap(swapped)).toEqual([
    ["1200", "1234.56", "", ""],
    ["4970", "1234.56", "9", "200"],
  ]);
  const ofNetsuite = (each: Entry) =>
    lines(netsuite.rows(each, file)).map((row) => row.split(",").at(-1));
  expect([ofNetsuite(cost), ofNetsuite(swapped)]).toEqual([
    ["9", ""],
    ["", "9"],
  ]);
});

test("no layout lets a formula through, whichever field of the rules has it", () => {
  const formula = "=HYPERLINK(1)";
  const hostile = { ...taxed, text: formula, cost_center: formula, tax_code: "9" };
  for (const writer of [datev, netsuite, quickbooks, quickbooksIif, xero])
    expect(writer.rows(hostile, file)).not.toMatch(/(?:^|[;,\t"])=HYPERLINK/m);
});

test("pages of any size are split into parts in order, without loss, within the limit of a file", async () => {
  const entries = Array.from({ length: 1_000 }, (_, at) => ({ ...entry, place: at + 1 }));
  for (const size of [1, 149, 150, 151, 1_000]) {
    const parts: number[][] = [];
    for await (const { part, entries: own } of splitIntoParts(pagesOf(entries, size), "xero")) {
      parts[part - 1] = [...(parts[part - 1] ?? []), ...own.map(({ place }) => place)];
    }
    expect(parts.map(({ length }) => length)).toEqual([150, 150, 150, 150, 150, 150, 100]);
    expect(parts.flat()).toEqual(entries.map(({ place }) => place));
  }
});

test("a file's name has its batch, and the currency or part if there are several", () => {
  const sum = (currency: string, entry_count: number) =>
    ({ currency, entry_count }) as EntryBatch["sums"][number];
  const named = (sums: EntryBatch["sums"], part?: number) =>
    fileNameOf({ batch: { ...file.batch, sums }, currency: "EUR", format: "xero" }, part);
  expect([
    named([sum("EUR", 150)]),
    named([sum("EUR", 150)], 1),
    named([sum("EUR", 151)], 2),
    named([sum("EUR", 151), sum("USD", 1)], 2),
  ]).toEqual([
    "xero-manual-journals-2026-0012.csv",
    "xero-manual-journals-2026-0012.csv",
    "xero-manual-journals-2026-0012-2.csv",
    "xero-manual-journals-2026-0012-EUR-2.csv",
  ]);
});

async function* pagesOf(entries: Entry[], size: number) {
  for (let at = 0; at < entries.length; at += size) yield entries.slice(at, at + size);
}

test.each([
  [1_000, 0, "1000.00"],
  [5, 2, "0.05"],
  [1_230, 3, "1.23"],
  [1_234, 3, null],
  [9_007_199_254_740_991, 2, "90071992547409.91"],
])("%d minor units of %d decimals have two decimals: %s", (minor, decimals, text) => {
  expect(twoDecimals(minor, decimals)).toBe(text);
});

test("Windows-1252 keeps umlauts and the euro, and replaces others by base letters or question marks", () => {
  expect([...encodeWindows1252("ü€ń🔑")]).toEqual([0xfc, 0x80, 0x6e, 0x3f]);
});
