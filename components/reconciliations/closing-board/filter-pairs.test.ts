import { expect, test } from "vitest";
import type { BoardPair } from "#lib/matching/closing-board/contract.ts";
import { filterPairs } from "./filter-pairs.ts";

const pair = (...periods: object[]) => ({ left_source: "Bank", periods }) as unknown as BoardPair;
const pairs = [
  pair({ state: "open", overdue: true }, { state: "closed", overdue: false }),
  pair({ state: "open", overdue: false }),
  pair(),
];

test("without filters, all pairs are shown, including those without a period", () => {
  expect(filterPairs(pairs, { state: null, overdue: null })).toBe(pairs);
});

test("a filter keeps the pairs with a matching period, and only their matching periods", () => {
  expect(filterPairs(pairs, { state: "open", overdue: null }).map(sizeOf)).toEqual([1, 1]);
  expect(filterPairs(pairs, { state: null, overdue: true }).map(sizeOf)).toEqual([1]);
  expect(filterPairs(pairs, { state: "closed", overdue: true })).toEqual([]);
});

function sizeOf({ periods }: BoardPair): number {
  return periods.length;
}
