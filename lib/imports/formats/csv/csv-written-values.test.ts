/** Values as programs and spreadsheets write them, which differ from those on the screen. */
import { describe, expect, test } from "vitest";
import { expectOutcome, imported, type Outcome, rows } from "./csv-outcome.test-support.ts";

const BOTH: Outcome = { lines: ["10-02 -4520", "10-15 30000"] };
const amounts = (first: string, second: string) =>
  rows("Date;Text;Amount", `2026-10-02;a;${first}`, `2026-10-15;b;${second}`);

test.each([
  ["a mark of the direction of writing", "\u200E-45.20", "300.00\u200F"],
  ["marks around a direction", "\u2066-45.20\u2069", "300.00"],
  ["a blank of no width", "-45.20\u200B", "300.00"],
  ["a hyphen as minus", "\u201045.20", "300.00"],
  ["a hyphen without line break as minus", "\u201145.20", "300.00"],
  ["a dash as minus", "\u201445.20", "300.00"],
  ["a wide minus and plus", "\uFF0D45.20", "\uFF0B300.00"],
  ["a triangle as minus", "\u25B245.20", "300.00"],
  ["a hollow triangle as minus", "\u25B345.20", "300.00"],
  ["a formula of a text", '="-45.20"', '="300.00"'],
])("an amount with %s is read", (_, first, second) =>
  expectOutcome(amounts(first, second), "EUR", BOTH),
);

test.each(["\u2007", "\u00B4"])("%s is read as a thousands separator", (mark) =>
  expectOutcome(amounts(`-1${mark}045.20`, "300.00"), "EUR", {
    lines: ["10-02 -104520", "10-15 30000"],
  }),
);

test.each([
  ["bare", '="00123"'],
  ["in quotation marks", '"=""00123"""'],
])("a reference in a formula of a text, %s, keeps its zeros", async (_, cell) => {
  const text = rows("Date,Reference,Amount", `2026-10-02,${cell},-45.20`);
  const { lines, summary } = await imported(text, "EUR");
  expect(lines).toEqual(["10-02 -4520"]);
  expect(summary?.line_count).toBe(1);
});

test.each([["2569-10-02"], ["02/10/2569"]])(
  "the year of another calendar isn't read as a date: %s",
  async (day) => {
    const text = rows("Date,Text,Amount", `${day},a,-45.20`, `${day},b,300.00`);
    expect((await imported(text, "THB")).question?.about).toBe("fields.value_date");
  },
);

test.each(["N/A", "null", "NULL", "nil"])("reads %s in place of an amount as empty", (word) =>
  expectOutcome(
    rows("Date,Text,Debit,Credit", `2026-10-02,a,45.20,${word}`, `2026-10-15,b,${word},300.00`),
    "EUR",
    BOTH,
  ),
);

test("the order of two columns of days doesn't say which part is the month", async () => {
  const text = rows(
    "Booking date;Value date;Text;Amount",
    "02/10/2026;10/02/2026;a;-45.20",
    "05/10/2026;10/05/2026;b;300.00",
  );
  expect((await imported(text, "EUR")).question?.about).toBe("date_format");
});

describe("an amount split by an unquoted comma", () => {
  test.each([
    ["after the thousands", "2026-10-02,a,-1,045.20"],
    ["before the decimals, in a row with one more cell", "2026-10-02,a,-45,20,"],
  ])("%s is refused", (_, row) =>
    expectOutcome(rows("Date,Text,Amount,Note", row, "2026-10-15,b,300.00,"), "EUR", {
      lines: ["10-15 30000"],
      refused: [2],
    }),
  );

  test("whole amounts next to a column of numbers are not split amounts", () =>
    expectOutcome(
      rows("Date,Text,Amount,Quantity", "2026-10-02,a,-45,20", "2026-10-15,b,300,125"),
      "EUR",
      { lines: ["10-02 -4500", "10-15 30000"] },
    ));
});
