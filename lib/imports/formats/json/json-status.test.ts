import { expect, test } from "vitest";
import { readLines } from "../read-lines.ts";

test("items of JSON whose status says that they aren't booked are skipped and counted", async () => {
  const items = [
    { value_date: "2026-10-02", amount: "-45.20", status: "booked" },
    { value_date: "2026-10-03", amount: "-9.99", status: "pending" },
    { value_date: "2026-10-04", amount: "-8.88", bookingStatus: "DECLINED" },
    { value_date: "2026-10-05", amount: "300.00", status: "pending", due_date: "2026-11-05" },
    { value_date: "2026-10-06", amount: "7.00", status: "open" },
  ];
  const reading = readLines(new Blob([JSON.stringify({ lines: items })]).stream(), {
    format: "json",
    currency: "EUR",
  });
  const amounts: number[] = [];
  for await (const { lines } of reading)
    amounts.push(...lines.map(({ amount_minor }) => amount_minor));
  expect(amounts).toEqual([-4520, 30000, 700]);
  expect(reading.summary?.skips.map(({ reason }) => reason)).toEqual(["pending", "declined"]);
});
