import { expect, test } from "vitest";
import type { SlaFacets } from "#lib/exceptions/sla/contract.ts";
import { tilesOf } from "./tiles.ts";

const all = { breached_count: 70, at_risk_count: 87, on_track_count: 234, total_open: 391 };
const risks = { breached: 2, high: 1, medium: 3, low: 4 };
const facets = {
  complete: true,
  facets: {
    breach_risk: Object.entries(risks).map(([value, count]) => ({ value, count })),
  },
} as unknown as SlaFacets;

test("counts what the filters match", () => {
  expect(tilesOf(all, facets, true)).toEqual({
    summary: { breached_count: 2, at_risk_count: 4, on_track_count: 4, total_open: 10 },
    isAll: false,
  });
});

test("counts all open exceptions without filters, and says so if the filtered ones can't be counted", () => {
  expect(tilesOf(all, facets, false)).toEqual({ summary: all, isAll: false });
  expect(tilesOf(all, { ...facets, complete: false }, true)).toEqual({ summary: all, isAll: true });
  expect(tilesOf(all, undefined, true)).toEqual({ summary: all, isAll: true });
  expect(tilesOf(undefined, facets, true)).toBeNull();
});
