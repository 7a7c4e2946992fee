import { expect, test } from "vitest";
import { changesOf, factsOf } from "./changes.ts";

test("lists fields with a from and a to as changes, and the others as facts", () => {
  const details = {
    name: { from: "a", to: "b" },
    scopes: { from: [], to: ["x"] },
    url: "https://example.com",
    target_name: "b",
  };
  expect(changesOf(details)).toEqual([
    { field: "name", from: "a", to: "b" },
    { field: "scopes", from: [], to: ["x"] },
  ]);
  expect(factsOf(details)).toEqual({ url: "https://example.com" });
});

test("a changed object is shown by the fields that differ", () => {
  const details = {
    from: { minutes: { high: 60, low: 9 }, by: "x" },
    to: { minutes: { high: 90, low: 9 }, by: "x", at: 1 },
  };
  expect(changesOf(details)).toEqual([
    { field: "minutes.high", from: 60, to: 90 },
    { field: "at", from: null, to: 1 },
  ]);
  expect(factsOf(details)).toEqual({});
});

test("the changes of a source are shown by field, including those of its mapping", () => {
  const details = {
    name: "Bank",
    changes: {
      grace_days: { from: 3, to: 5 },
      mapping: {
        from: { amount: "Betrag", date: "Datum" },
        to: { amount: "Amount", date: "Datum" },
      },
    },
  };
  expect(changesOf(details)).toEqual([
    { field: "grace_days", from: 3, to: 5 },
    { field: "mapping.amount", from: "Betrag", to: "Amount" },
  ]);
  expect(factsOf(details)).toEqual({ name: "Bank" });
});

test("changed rules are shown by field, next to the name of their period", () => {
  const details = { from: { close_days: 5 }, to: { close_days: 3 }, reconciliation_name: "Bank" };
  expect(changesOf(details)).toEqual([{ field: "close_days", from: 5, to: 3 }]);
  expect(factsOf(details)).toEqual({ reconciliation_name: "Bank" });
});
