import { expect, test } from "vitest";
import { escapeFormula } from "./csv-injection.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["  =1+1", "'  =1+1"],
  ["\u00A0\u2009=cmd()", "'\u00A0\u2009=cmd()"],
  [" @SUM(A1)", "' @SUM(A1)"],
  ["a;=1", "a;'=1"],
  ["a; =1", "a;' =1"],
  ["a\r\n\u00A0@SUM(A1)", "a\r\n'\u00A0@SUM(A1)"],
  ["a; b", "a; b"],
  ["Rent = 5", "Rent = 5"],
  [" plain", " plain"],
])("escapes %j, which a spreadsheet would read as a formula", (cell, written) => {
  expect(escapeFormula(cell)).toBe(written);
});
