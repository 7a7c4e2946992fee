import { readXlsx } from "hucre/xlsx";
import { expect, test } from "vitest";
import type { Sheet } from "../wire/contract.ts";
import { type Item, writeSheets } from "./sheets.ts";

const SHEETS: Sheet[] = [
  {
    name: "Lines",
    kind: "line",
    columns: [
      { name: "Day", field: "day", width: 12, as: "day" },
      { name: "Amount", field: "minor", width: 18, as: "money" },
      { name: "Reference", field: "reference", width: 24 },
      { name: "Kind of fee", field: "fee", width: 10, as: "word" },
      { name: "At", field: "at", width: 18, as: "time" },
    ],
  },
  {
    name: "More",
    kind: "more",
    columns: [{ name: "Reference", field: "reference", width: 20 }],
    optional: true,
  },
];

async function read(items: Item[]) {
  return (await readXlsx(await writeSheets(SHEETS, items), { readStyles: true })).sheets;
}

async function cellsOf(item: Item) {
  const [sheet] = await read([{ kind: "line", currency: "EUR", ...item }]);
  return sheet?.rows[1];
}

test("writes amounts as numbers with their currency's decimals and dates as dates", async () => {
  const items = [
    {
      kind: "line",
      currency: "EUR",
      day: "2026-10-29",
      minor: -1490,
      at: "2026-11-02T08:30:00.000Z",
    },
    { kind: "line", currency: "JPY", minor: 1490 },
    { kind: "line", currency: "KWD", minor: "1490" },
  ];
  const [sheet] = await read(items);
  expect(sheet?.rows.slice(1).map((row) => row[1])).toEqual([-14.9, 1490, 1.49]);
  expect(sheet?.rows[1]?.[0]).toEqual(new Date("2026-10-29"));
  expect(sheet?.rows[1]?.[4]).toEqual(new Date("2026-11-02T08:30:00Z"));
  expect([1, 2, 3].map((row) => sheet?.cells?.get(`${row},1`)?.style?.numFmt)).toEqual([
    "#,##0.00",
    "#,##0",
    "#,##0.000",
  ]);
});

test("writes an amount that a spreadsheet would round as text, digit by digit", async () => {
  expect((await cellsOf({ minor: 999_999_999_999_999 }))?.[1]).toBe(9_999_999_999_999.99);
  expect((await cellsOf({ minor: "-90071992547409931" }))?.[1]).toBe("-900719925474099.31");
  expect((await cellsOf({ minor: "90071992547409931", currency: "JPY" }))?.[1]).toBe(
    "90071992547409931",
  );
});

test.each(["=1+1", "@SUM(A1)", "+1", "-1", "a;=1+1", "a\n=1"])(
  "escapes %j, which a spreadsheet would read as a formula",
  async (reference) => {
    const [sheet] = await read([{ kind: "line", currency: "EUR", reference }]);
    expect(sheet?.rows[1]?.[2]).toMatch(/'[=@+-]/);
    expect(sheet?.cells?.get("1,2")?.formula).toBeUndefined();
  },
);

test("leaves other text unchanged, including characters that XML doesn't allow", async () => {
  for (const reference of ["Kunde <17> & Söhne", " a-b ", "\u0001", "_x0041_"]) {
    expect((await cellsOf({ reference }))?.[2], JSON.stringify(reference)).toBe(reference);
  }
  expect((await cellsOf({ fee: "write_off" }))?.[3]).toBe("Write off");
});

test("freezes a bold header and leaves out an optional sheet without items", async () => {
  const [first, ...none] = await read([]);
  expect(first).toMatchObject({
    name: "Lines",
    rows: [["Day", "Amount", "Reference", "Kind of fee", "At"]],
    freezePane: { rows: 1 },
  });
  expect(first?.cells?.get("0,0")?.style?.font?.bold).toBe(true);
  expect(first?.columns?.map(({ width }) => width)).toEqual([12, 18, 24, 10, 18]);
  expect(none).toEqual([]);
  expect(await read([{ kind: "more", reference: "R" }])).toMatchObject([
    { name: "Lines" },
    { name: "More", rows: [["Reference"], ["R"]] },
  ]);
});

test.each([
  ["user:leo", "leo"],
  ["api_key:key_1", "API key key_1"],
  ["system", "system"],
])("the actor %s is shown as %s", async (actor, name) => {
  const columns = [{ name: "By", field: "by", width: 20, as: "actor" as const }];
  const workbook = await writeSheets(
    [{ name: "A", kind: "a", columns }],
    [{ kind: "a", by: actor }],
  );
  expect((await readXlsx(workbook)).sheets[0]?.rows[1]).toEqual([name]);
});

test("a manual match is shown as made by hand, and a match by a rule with the rule's name", async () => {
  const columns = [{ name: "Rule", field: "rule", width: 20, as: "method" as const }];
  const items = ["manual", "Same reference"].map((rule) => ({ kind: "a", rule }));
  const workbook = await writeSheets([{ name: "A", kind: "a", columns }], items);
  expect((await readXlsx(workbook)).sheets[0]?.rows.slice(1)).toEqual([
    ["By hand"],
    ["Same reference"],
  ]);
});

test("a cover is the first sheet, and gives the sides their names", async () => {
  const columns = [{ name: "Source", field: "side", width: 20, as: "side" as const }];
  const items = ["left", "right", null].map((side) => ({ kind: "a", side }));
  const cover = {
    name: "Statement",
    title: "Reconciliation statement",
    facts: [["Left source", "=Bank"]] as const,
    sides: { left: "Bank", right: "Ledger" },
  };
  const sheets = [{ name: "A", kind: "a", columns }];
  const read = await readXlsx(await writeSheets(sheets, items, cover), { readStyles: true });
  const [first, second] = read.sheets;
  expect(first?.name).toBe("Statement");
  expect(first?.rows[0]?.[0]).toBe("Reconciliation statement");
  expect(first?.rows.at(-1)).toEqual(["Left source", "'=Bank"]);
  expect(first?.cells?.get("2,0")?.style?.font?.bold).toBe(true);
  expect(second?.rows).toMatchObject([["Source"], ["Bank"], ["Ledger"]]);
});
