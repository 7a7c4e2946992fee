import { SAMPLE_LINES } from "../wire/sample-month.ts";

/** A month for a sandbox: the sample files' lines, and exceptions before and after deadlines. */
export const SAMPLE_MONTH = {
  name: "Sample month",
  sources: [
    { name: "Sample bank", kind: "bank_statement", currency: "EUR", lines: SAMPLE_LINES.bank },
    { name: "Sample ledger", kind: "ledger", currency: "EUR", lines: SAMPLE_LINES.ledger },
  ],
  exceptions: [
    {
      title: "Payment of Hansen & Söhne is booked twice",
      severity: "critical",
      reason_code: "duplicate",
      amount_minor: 125_000,
      currency: "EUR",
      due_in_minutes: -90,
    },
    {
      title: "Bäckerei Vogel disputes a discount",
      severity: "medium",
      reason_code: "amount_mismatch",
      amount_minor: 4_805,
      currency: "EUR",
      due_in_minutes: -10,
    },
    {
      title: "Lindt Logistik KG has two customer numbers",
      severity: "high",
      reason_code: "unknown_reference",
      due_in_minutes: 45,
    },
    {
      title: "Receipt of Atelier Weiß is missing",
      severity: "low",
      reason_code: "missing_counterpart",
      amount_minor: 100_000,
      currency: "EUR",
      due_in_minutes: 2_880,
    },
  ],
};
