import { createLoader } from "nuqs/server";
import { expect, test } from "vitest";
import { boardSearch } from "../board/search.ts";
import {
  canBeSaved,
  differsFromView,
  filtersToSave,
  searchOfView,
  showsView,
} from "./filters-of-view.ts";

const load = createLoader(boardSearch);
const SHOWN = load(
  "?severity=critical,high&assigned_to=me,none&status=in_review&amount_from=1000&currency=EUR&q=payout&sortBy=amount",
);

test("a view stores the board's filters and restores them", () => {
  const filters = filtersToSave(SHOWN);
  expect(filters).toEqual({
    severity: ["critical", "high"],
    assigned_to: ["me", "none"],
    status: ["in_review"],
    amount_from: 1000,
    currency: ["EUR"],
    q: "payout",
  });
  const view = { filters, sort_by: "amount" as const };
  expect(searchOfView(view)).toMatchObject({
    severity: ["critical", "high"],
    reason_code: null,
    state: "open",
    sortBy: "amount",
  });
  expect(showsView(view, SHOWN)).toBe(true);
  expect(showsView(view, { ...SHOWN, severity: ["high", "critical"] })).toBe(true);
  expect(showsView(view, { ...SHOWN, q: null })).toBe(false);
  expect(showsView(view, { ...SHOWN, state: "closed" })).toBe(false);
  expect(showsView({ filters: {} }, load("?sortBy=severity"))).toBe(true);
});

test("a view stores no past times, and a board with one doesn't show the view", () => {
  const past = load("?severity=high&closed_from=2026-11-20T00:00:00.000Z");
  expect(filtersToSave(past)).toEqual({ severity: ["high"] });
  expect(showsView({ filters: { severity: ["high"] } }, past)).toBe(false);
});

test("a view can be updated when the board's filters or order differ", () => {
  const view = { filters: filtersToSave(SHOWN), sort_by: "amount" as const };
  expect(differsFromView(view, SHOWN)).toBe(false);
  expect(differsFromView(view, { ...SHOWN, severity: ["high", "critical"] })).toBe(false);
  expect(differsFromView(view, { ...SHOWN, severity: ["low"] })).toBe(true);
  expect(differsFromView(view, { ...SHOWN, sortBy: "due_at" })).toBe(true);
  expect(differsFromView(view, { ...SHOWN, state: "closed", severity: ["low"] })).toBe(false);
  expect(canBeSaved(load("?sortBy=severity"))).toBe(false);
  expect(canBeSaved(load("?severity=low"))).toBe(true);
});
