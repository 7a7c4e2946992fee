import { expect, test } from "vitest";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { previewPeriods } from "./preview-periods.ts";

const period = (id: string, period_end: string, closed_at: string | null = null) =>
  ({ id, period_end, closed_at }) as Reconciliation;
const OCTOBER = period("rcn_10", "2026-10-31", "2026-11-03T08:00:00Z");
const NOVEMBER = period("rcn_11", "2026-11-30", "2026-12-02T08:00:00Z");
const DECEMBER = period("rcn_12", "2026-12-31");

test("rules can be tried on each period of the pair, by default on the last closed one", () => {
  const { periods, first } = previewPeriods([OCTOBER, DECEMBER, NOVEMBER], DECEMBER);
  expect(periods.map(({ id }) => id)).toEqual(["rcn_12", "rcn_11", "rcn_10"]);
  expect(first).toBe(NOVEMBER);
});

test("without a closed period, or before periods are loaded, the current one is tried", () => {
  expect(previewPeriods([DECEMBER], DECEMBER).first).toBe(DECEMBER);
  expect(previewPeriods([], DECEMBER)).toEqual({ periods: [DECEMBER], first: DECEMBER });
});

test("the current period can be chosen although newer ones fill the list", () => {
  const { periods } = previewPeriods([DECEMBER, NOVEMBER], OCTOBER);
  expect(periods).toContain(OCTOBER);
});
