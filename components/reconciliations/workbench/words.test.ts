import { expect, test } from "vitest";
import { valueInWords } from "./words.ts";

test("what lines say is shown as everywhere: money in its currency, days in words, texts as they are", () => {
  expect(valueInWords("amount", "-1250", "EUR")).toBe("-€12.50");
  expect(valueInWords("value_date", "2026-10-05", "EUR")).toBe("5 Oct 2026");
  expect(valueInWords("booked_date", "2026-10-05, 2026-10-06", "EUR")).toBe(
    "5 Oct 2026, 6 Oct 2026",
  );
  expect(valueInWords("reference", "2026-10-05", "EUR")).toBe("2026-10-05");
});
