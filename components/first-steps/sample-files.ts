/** Two files that match but for a fee and a payment without an invoice. */
const BANK = [
  ["2026-10-05", "Hansen & Söhne", "RG-1001", "1250.00"],
  ["2026-10-08", "Bäckerei Vogel", "RG-1002", "480.50"],
  ["2026-10-12", "Atelier Weiß", "RG-1003", "997.50"],
  ["2026-10-19", "Lindt Logistik KG", "RG-1004", "2310.00"],
  ["2026-10-27", "Café Morgenrot", "", "75.00"],
];
const LEDGER = [
  ["2026-10-02", "Hansen & Söhne", "RG-1001", "1250.00"],
  ["2026-10-06", "Bäckerei Vogel", "RG-1002", "480.50"],
  ["2026-10-10", "Atelier Weiß", "RG-1003", "1000.00"],
  ["2026-10-15", "Lindt Logistik KG", "RG-1004", "2310.00"],
];

export const SAMPLE_FILES = [
  { name: "sample-bank.csv", text: csvOf(BANK) },
  { name: "sample-ledger.csv", text: csvOf(LEDGER) },
] as const;

function csvOf(rows: readonly (readonly string[])[]): string {
  return [["Date", "Counterparty", "Reference", "Amount"], ...rows]
    .map((row) => row.join(","))
    .join("\r\n");
}
