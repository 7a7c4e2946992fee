import { SAMPLE_LINES } from "#lib/wire/sample-month.ts";

const MONTH = "2026-10";

export const SAMPLE_FILES = [
  { name: "sample-bank.csv", text: csvOf(SAMPLE_LINES.bank) },
  { name: "sample-ledger.csv", text: csvOf(SAMPLE_LINES.ledger) },
] as const;

function csvOf(lines: typeof SAMPLE_LINES.bank): string {
  const rows = lines.map(({ day, counterparty, reference = "", amount_minor }) => [
    `${MONTH}-${String(day).padStart(2, "0")}`,
    counterparty,
    reference,
    (amount_minor / 100).toFixed(2),
  ]);
  return [["Date", "Counterparty", "Reference", "Amount"], ...rows]
    .map((row) => row.join(","))
    .join("\r\n");
}
