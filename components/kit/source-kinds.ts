import type { Source } from "#lib/sources/contract.ts";

export const SOURCE_KIND_LABELS: Record<Source["kind"], string> = {
  bank_statement: "Bank statement",
  ledger: "Ledger",
  processor: "Payment processor",
  orders: "Orders",
  other: "Other",
};
