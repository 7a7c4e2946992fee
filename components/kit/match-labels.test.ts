import { expect, test } from "vitest";
import { matchValueText } from "./match-labels.ts";

test("shows a line's money in its currency, its days in words, and its texts unchanged", () => {
  expect(matchValueText("amount", "-1250", "EUR")).toBe("-€12.50");
  expect(matchValueText("value_date", "2026-10-05", "EUR")).toBe("5 Oct 2026");
  expect(matchValueText("booked_date", "2026-10-05, 2026-10-06", "EUR")).toBe(
    "5 Oct 2026, 6 Oct 2026",
  );
  expect(matchValueText("reference", "2026-10-05", "EUR")).toBe("2026-10-05");
});
