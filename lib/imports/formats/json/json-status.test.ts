import { expect, test } from "vitest";
import type { Mapping } from "../mapping.ts";
import { readLines } from "../read-lines.ts";

async function readItems(items: readonly object[], mapping?: Mapping) {
  const reading = readLines(new Blob([JSON.stringify({ lines: items })]).stream(), {
    format: "json",
    currency: "EUR",
    ...(mapping && { mapping }),
  });
  const amounts: number[] = [];
  const messages: string[] = [];
  for await (const { lines, refusals } of reading) {
    amounts.push(...lines.map(({ amount_minor }) => amount_minor));
    messages.push(...refusals.map(({ message }) => message));
  }
  return { amounts, messages, skips: reading.summary.skips.map(({ reason }) => reason) };
}

const BOOKED = { value_date: "2026-10-02", amount: "-45.20" };

test("skips items of JSON that are flagged as pending, or that state a balance", async () => {
  const { amounts, skips, messages } = await readItems([
    { ...BOOKED, pending: false, booked: true },
    { ...BOOKED, pending: true },
    { ...BOOKED, isBooked: false },
    { ...BOOKED, description: "Closing balance" },
    { ...BOOKED, description: "Saldo do dia" },
  ]);
  expect(amounts).toEqual([-4520]);
  expect(skips).toEqual(["pending", "pending", "total", "total"]);
  expect(messages).toEqual([]);
});

test("reads no lines from a list of JSON that is named pending", async () => {
  const reading = readLines(new Blob([JSON.stringify({ data: { pending: [BOOKED] } })]).stream(), {
    format: "json",
    currency: "EUR",
    mapping: { fields: {}, lines_path: "data.pending" },
  });
  for await (const { lines } of reading) expect(lines).toEqual([]);
  expect(reading.summary.skips.map(({ reason }) => reason)).toEqual(["pending"]);
});

test("items of JSON whose direction contradicts the amount's sign are refused", async () => {
  const items = [
    { ...BOOKED, type: "debit" },
    { ...BOOKED, amount: "45.20", creditDebitIndicator: "DBIT" },
    { ...BOOKED, type: "CREDIT" },
    { ...BOOKED, amount: "300.00", type: "credit" },
    { ...BOOKED, amount: "300.00", type: "invoice" },
  ];
  const { amounts, messages } = await readItems(items);
  expect(amounts).toEqual([-4520, 30000, 30000]);
  expect(messages).toEqual([
    expect.stringMatching(/another direction.*creditDebitIndicator: DBIT.*mapping with sign/),
    expect.stringMatching(/another direction.*type: CREDIT/),
  ]);
  const answered = await readItems(items, { fields: {}, amount_sign: "own" });
  expect(answered.amounts).toEqual([-4520, 4520, -4520, 30000, 30000]);
});

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
