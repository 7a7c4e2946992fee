import { expect, test } from "vitest";
import { type ExceptionLine, titleOf } from "./exception-title.ts";

const line: ExceptionLine = {
  line_no: 1,
  id: "lin_1",
  side: "right",
  source: "Debtors ledger",
  open_minor: -15_000,
  value_date: "2026-11-04",
  reference: "INV-7",
  is_free: true,
};
const alone = { match_id: null, currency: "EUR", difference_minor: -15_000, is_late: false };

test("the title of a single line shows its amount, day and source as pages format them", () => {
  expect(titleOf("amount_differs", { ...alone, lines: [line] })).toBe(
    "No match for -€150.00, 4 Nov 2026, Debtors ledger",
  );
  expect(titleOf("duplicate", { ...alone, lines: [line] })).toBe(
    "Booked twice: -€150.00, 4 Nov 2026, Debtors ledger",
  );
  expect(
    titleOf("missing_counterpart", {
      ...alone,
      currency: "JPY",
      lines: [{ ...line, open_minor: 1200 }],
    }),
  ).toBe("No match for ¥1,200, 4 Nov 2026, Debtors ledger");
});

test("the title of a suggestion shows by how much its lines differ", () => {
  const lines = [{ ...line, side: "left" as const, source: "Bank" }, line];
  expect(
    titleOf("amount_differs", { ...alone, match_id: "mat_1", difference_minor: 350, lines }),
  ).toBe("Amount differs by €3.50: INV-7 of Bank, INV-7 of Debtors ledger");
});
