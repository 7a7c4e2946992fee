import { expect, test } from "vitest";
import { newDraft, proposedName } from "./draft.ts";

test("proposes the current month, whatever its length", () => {
  const periodOn = (day: string) => {
    const { period_start, period_end, name } = newDraft(Date.parse(`${day}T23:30:00Z`));
    return [period_start, period_end, name];
  };
  expect(periodOn("2026-11-26")).toEqual(["2026-11-01", "2026-11-30", "November 2026"]);
  expect(periodOn("2028-02-29")).toEqual(["2028-02-01", "2028-02-29", "February 2028"]);
  expect(periodOn("2026-12-31")).toEqual(["2026-12-01", "2026-12-31", "December 2026"]);
});

test("names a reconciliation after its left source and its period", () => {
  const name = (period_start: string, period_end: string) =>
    proposedName({ period_start, period_end }, "Commerzbank");
  expect(name("2026-11-01", "2026-11-30")).toBe("Commerzbank, November 2026");
  expect(name("2026-11-01", "2026-11-29")).toBe("Commerzbank, 1–29 Nov 2026");
  expect(name("2026-11-01", "")).toBe("Commerzbank");
});
