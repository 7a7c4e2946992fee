import { expect, test } from "vitest";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { type Board, movingChanges, withChanges, withInPlaceChanges } from "./board-cache.ts";

const item = (id: string, minutes: number, more: Partial<SlaItem> = {}) =>
  ({
    id,
    title: id,
    severity: "high",
    assigned_to: null,
    currency: null,
    amount_minor: null,
    paused_at: null,
    due_at: new Date(minutes * 60_000).toISOString(),
    ...more,
  }) as SlaItem;

function boardOf(pages: SlaItem[][], next_cursor: string | null = null): Board {
  const last = pages.length - 1;
  return {
    pages: pages.map((items, at) => ({ items, next_cursor: at < last ? "more" : next_cursor })),
    pageParams: pages.map(() => null),
  } as unknown as Board;
}
const idsOf = ({ pages }: Board) =>
  pages.flatMap(({ items }) => items.map(({ id }) => id)).join("");
const changes = (...rows: (SlaItem | string)[]) =>
  new Map(
    rows.map((row) => (typeof row === "string" ? [row, null] : [row.id, row])) as [
      string,
      SlaItem | null,
    ][],
  );

test("inserts, removes and moves rows by the list's order across all loaded pages", () => {
  const board = boardOf([
    [item("a", 1), item("c", 3)],
    [item("e", 5), item("g", 7)],
  ]);
  const after = withChanges(
    board,
    changes(item("b", 2), "c", item("a", 6), item("h", 8), item("e", 0, { paused_at: "x" })),
    "due_at",
  );
  expect(idsOf(after)).toBe("baghe");
  expect(after.pages).toHaveLength(2);
});

test("leaves out rows that belong after the loaded pages, and removes rows that move there", () => {
  const board = boardOf([[item("a", 1), item("c", 3)]], "more");
  expect(
    idsOf(withChanges(board, changes(item("z", 9), item("b", 2), item("a", 8)), "due_at")),
  ).toBe("bc");
  expect([
    ...movingChanges(board, changes(item("z", 9), item("b", 2), item("a", 8)), "due_at").keys(),
  ]).toEqual(["b", "a"]);
});

test("shows a change at once if it moves no row", () => {
  const board = boardOf([[item("a", 1), item("c", 3)]]);
  const come = changes(item("a", 1, { title: "renamed" }), item("c", 0), item("b", 2));
  const after = withInPlaceChanges(board, come, "due_at");
  expect(after.pages[0]?.items.map(({ title }) => title)).toEqual(["renamed", "c"]);
  expect([...movingChanges(board, come, "due_at").keys()]).toEqual(["c", "b"]);
});

test("sorts by every order", () => {
  const board = boardOf([
    [
      item("a", 5, {
        severity: "critical",
        assigned_to: "user:b",
        currency: "EUR",
        amount_minor: 9,
      }),
      item("b", 1),
    ],
  ]);
  const severe = item("c", 9, {
    severity: "critical",
    assigned_to: "user:a",
    currency: "EUR",
    amount_minor: 10,
  });
  expect(idsOf(withChanges(board, changes(severe), "severity"))).toBe("acb");
  expect(idsOf(withChanges(board, changes(severe), "assigned_to"))).toBe("cab");
  expect(idsOf(withChanges(board, changes(severe), "amount"))).toBe("cab");
  expect(idsOf(withChanges(boardOf([[item("b", 1)]]), changes(severe), "due_at"))).toBe("bc");
});
