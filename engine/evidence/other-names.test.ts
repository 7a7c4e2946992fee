import { expect, test } from "vitest";
import { type CaseLine, solveCase } from "../cases/solve-case.test-support.ts";
import { OtherNames } from "./other-names.ts";

const names = new OtherNames(["Cedar Ridge Staffing", "Cedar Ridge Coatings", "Hölzl Signs"]);

test.each([
  ["Cedar Ridge Staffing", "SQ *CEDAR RIDGE COATIN TULSA OK", true],
  ["Cedar Ridge Staffing", "SQ *CEDAR RIDGE STAFFI TULSA OK", false],
  ["Cedar Ridge Staffing", "SQ *CEDAR RIDGE TULSA OK", false],
  ["Cedar Ridge Staffing", "CEDAR RIDGE #3528", false],
  ["Hölzl Signs", "HOELZL SIGNS", false],
])("%s and %j are of two counterparties: %j", (name, text, isOther) => {
  expect(names.continuesAsOther(name, text)).toBe(isOther);
});

const purchases = Array.from(
  { length: 40 },
  (_, at): CaseLine => ({
    id: `p${at}`,
    amount: `-${31 + at * 17.31}`,
    date: "2026-03-12",
    counterparty: `Cedar Ridge ${["Staffing", "Coatings"][at % 2]}`,
  }),
);
const feed = (at: number, description: string): CaseLine => ({
  ...(purchases[at] as CaseLine),
  id: `f${at}`,
  date: "2026-03-13",
  counterparty: undefined,
  description,
});
const others = purchases
  .slice(2)
  .map((_, at) => feed(at + 2, `CEDAR RIDGE ${["STAFFI", "COATIN"][at % 2]} TULSA OK`));

test("a payment is confirmed with the counterparty that its text names, of equal amounts", () => {
  const { confirmed } = solveCase(purchases, [feed(0, "CEDAR RIDGE STAFFI TULSA OK"), ...others]);
  expect(confirmed).toContain("p0|f0");
});

test.each([
  ["another counterparty that is known", "CEDAR RIDGE COATIN TULSA OK"],
  ["a bank's own charge", "FOREIGN TRANSACTION FEE"],
])("an equal amount alone doesn't confirm what names %s", (_, description) => {
  const { confirmed } = solveCase(purchases, [feed(0, description), ...others]);
  expect(confirmed).not.toContain("p0|f0");
});
