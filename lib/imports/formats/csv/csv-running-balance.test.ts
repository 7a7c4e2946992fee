import { expect, test } from "vitest";
import { imported } from "./csv-outcome.test-support.ts";

/** The opening and closing balance of a CSV file with these rows, and the days they hold for. */
async function balancesOf(...rows: string[]) {
  const { summary } = await imported(`${rows.join("\n")}\n`, "EUR");
  return summary?.statements.map((statement) => [
    statement.opening_balance_minor,
    statement.closing_balance_minor,
    statement.period_start,
    statement.period_end,
  ]);
}

const HEADER = "Date,Text,Amount,Balance";

test("a running balance states the balances before the first and after the last line", async () => {
  const rows = ["2026-10-02,A,1200.00,6200.00", "2026-10-05,B,80.50,6280.50"];
  const expected = [[500_000, 628_050, "2026-10-02", "2026-10-05"]];
  expect(await balancesOf(HEADER, ...rows)).toEqual(expected);
  expect(await balancesOf(HEADER, ...rows.toReversed())).toEqual(expected);
});

test("rows without a balance count towards both ends", async () => {
  const rows = [
    "2026-10-01,A,100.00,",
    "2026-10-02,B,50.00,1150.00",
    "2026-10-03,C,-20.00,1130.00",
    "2026-10-04,D,5.00,",
  ];
  const expected = [[100_000, 113_500, "2026-10-01", "2026-10-04"]];
  expect(await balancesOf(HEADER, ...rows)).toEqual(expected);
  expect(await balancesOf(HEADER, ...rows.toReversed())).toEqual(expected);
});

test("the period is that of the booking dates, even if value dates are later", async () => {
  const rows = ["2026-10-30,2026-11-02,A,100.00,1100.00", "2026-10-31,2026-11-02,B,50.00,1150.00"];
  expect(await balancesOf("Booking date,Value date,Text,Amount,Balance", ...rows)).toEqual([
    [100_000, 115_000, "2026-10-30", "2026-10-31"],
  ]);
});

test("a balance in a single row, or with a difference of a cent, states no balances", async () => {
  const first = "2026-10-02,A,1200.00,6200.00";
  expect(await balancesOf(HEADER, first)).toEqual([]);
  const rows = [first, "2026-10-05,B,80.50,6280.50", "2026-10-06,C,10.00,6290.51"];
  expect(await balancesOf(HEADER, ...rows)).toEqual([]);
});

test("an unreadable row, or an available balance, states no balances", async () => {
  const rows = ["2026-10-02,A,1200.00,6200.00", "2026-10-05,B,80.50,6280.50"];
  expect(await balancesOf(HEADER, ...rows, "2026-10-06,C,,6290.50")).toEqual([]);
  expect(await balancesOf("Date,Text,Amount,Available balance", ...rows)).toEqual([]);
});
