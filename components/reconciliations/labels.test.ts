import { expect, test } from "vitest";
import { periodOf } from "#lib/wire/period-name.ts";
import { matchedShare } from "./labels.tsx";

test.each([
  ["2026-10-01", "2026-10-31", "1–31 Oct 2026"],
  ["2026-09-28", "2026-10-04", "28 Sept – 4 Oct 2026"],
  ["2025-12-29", "2026-01-04", "29 Dec 2025 – 4 Jan 2026"],
  ["2026-10-01", "2026-10-01", "1 Oct 2026"],
])("from %s to %s is %s", (period_start, period_end, words) => {
  expect(periodOf({ period_start, period_end })).toBe(words);
});

test.each([
  [0, 0, null],
  [10, 0, "100 %"],
  [999_999, 1, "99.9 %"],
  [1, 2, "33.3 %"],
  [0, 3, "0.0 %"],
])("%i matched and %i unmatched are %s", (matched_count, unmatched_count, share) => {
  expect(matchedShare({ matched_count, unmatched_count })).toBe(share);
});
