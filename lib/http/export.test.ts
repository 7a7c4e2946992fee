import { expect, test } from "vitest";
import { csvOf } from "./export.ts";

const cellOf = (value: unknown) => csvOf([{ a: value }], ["a"], false).replace(/\r\n$/, "");

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  [";=1+1", "\"';'=1+1\""],
  ["a;=1+1", '"a;\'=1+1"'],
  ["＝1", "'＝1"],
  ["\t=1", "\"'\t'=1\""],
])("escapes %j, which a spreadsheet would read as a formula", (text, cell) => {
  expect(cellOf(text)).toBe(cell);
});

test("escapes formulas after a line break inside a cell", () => {
  expect(cellOf("a\n=1")).toBe('"a\n\'=1"');
});

test("leaves signed numbers, text with dashes and empty cells unchanged", () => {
  expect(
    csvOf(
      [{ a: -30, b: "a-b, c = d", c: null, d: true, e: { "=": "-1" } }],
      ["a", "b", "c", "d", "e"],
      true,
    ),
  ).toBe('a,b,c,d,e\r\n-30,"a-b, c = d",,true,"{""="":""-1""}"\r\n');
});

test("a negative amount stays a number, and only in a column of amounts", () => {
  const rows = [
    { amount: "-14.90", reference: "-14.90" },
    { amount: "-2+3", reference: "R-1" },
  ];
  expect(csvOf(rows, ["amount", "reference"], false, ["amount"])).toBe(
    "-14.90,'-14.90\r\n'-2+3,R-1\r\n",
  );
});
