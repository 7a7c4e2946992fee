import { expect, test } from "vitest";
import { periodFileName } from "./period-name.ts";

test.each([
  ["Bank", "Ledger", "statement-Bank-Ledger-2026-11-30"],
  ["Sparkasse: EUR/USD", 'Konto "1200"\n', "statement-Sparkasse EUR USD-Konto 1200-2026-11-30"],
  ["Τράπεζα", "x".repeat(100), `statement-Τράπεζα-${"x".repeat(60)}-2026-11-30`],
])("a file about a period of %j and %j names both", (left_source, right_source, name) => {
  expect(periodFileName("statement", { left_source, right_source, period_end: "2026-11-30" })).toBe(
    name,
  );
});
