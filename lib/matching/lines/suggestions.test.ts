import { expect, test } from "vitest";
import { suggestionThreads } from "./suggestion-threads.ts";
import { type SuggestionQuery, suggestionsOf } from "./suggestions-of.ts";

const line = (number: number, amount_minor: number) => ({
  id: `lin_${number.toString(16).padStart(32, "0")}`,
  handle: number,
  identity: "",
  amount_minor,
  currency: "EUR",
  value_date: 20_000 + (number % 5),
  reference: `RG-2026-${number}`,
  counterparty: "Kunde 17 GmbH",
  description: `Invoice ${number}, thank you`,
});

test("suggestions are computed in another thread, with the same result", async () => {
  const query: SuggestionQuery = {
    reconciliation_id: "rcn_1",
    side: "right",
    line: line(1, 1250),
    candidates: [line(2, 1250), line(3, 1250), line(4, 1200), line(5, 50), line(6, 7700)],
    rules: null,
    weights: null,
    open_days: null,
    rejected: [{ left: [line(2, 0).id], right: [line(1, 0).id] }],
  };
  const here = suggestionsOf(query);
  expect(here.length).toBeGreaterThan(0);
  const there = suggestionThreads().run(query);
  expect(suggestionThreads().tasks).toBe(1);
  expect(await there).toEqual(here);
});
