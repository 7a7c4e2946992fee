import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { SEVERITIES, type SlaItem, type SlaList } from "#lib/exceptions/contract.ts";
import { boardsKey, exceptionsKey } from "../queries.ts";
import type { BoardSearch } from "./search.ts";

/** The loaded pages of a board. */
export type Board = InfiniteData<SlaList>;

/** Changed exceptions since a board was read; null if the filters no longer match. */
export type Changes = ReadonlyMap<string, SlaItem | null>;

type Patch = { [Field in keyof SlaItem]?: unknown };
type Sort = BoardSearch["sortBy"];

/** A board after an optimistic change: closed exceptions are removed. */
export function withChange(board: Board, ids: ReadonlySet<string>, patch: Patch): Board {
  const closes = patch.status === "resolved" || patch.status === "dismissed";
  const pages = board.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((item) =>
      !ids.has(item.id) ? [item] : closes ? [] : [{ ...item, ...patch } as SlaItem],
    ),
  }));
  return { ...board, pages };
}

/**
 * Cancels running reads, which would overwrite an optimistic change. A cancelled next page is
 * requested again while the list's end is near (use-virtual-rows.ts), and a whole board by
 * `refetchCancelled`; a board without rows keeps reading. Not awaited, because a read that starts before
 * the change is written would return the old rows.
 */
export function cancelReads(cache: QueryClient, tenant: string): void {
  void cache.cancelQueries({ queryKey: exceptionsKey(tenant) });
  void cache.cancelQueries({
    queryKey: boardsKey(tenant),
    predicate: ({ state }) => state.data !== undefined,
  });
}

export function refetchCancelled(cache: QueryClient, tenant: string): Promise<void> {
  return cache.invalidateQueries({
    queryKey: boardsKey(tenant),
    predicate: ({ state }) => state.isInvalidated,
  });
}

/** The exception in a row of a loaded board. */
export function cachedException(
  cache: QueryClient,
  tenant: string,
  id: string,
): SlaItem | undefined {
  for (const [, board] of cache.getQueriesData<Board>({ queryKey: boardsKey(tenant) })) {
    const item = board?.pages.flatMap((page) => page.items).find((item) => item.id === id);
    if (item) return item;
  }
  return undefined;
}

/** A board with the summary of a later moment. */
export function withSummary(
  board: Board,
  { as_of, summary }: Pick<SlaList, "as_of" | "summary">,
): Board {
  return {
    ...board,
    pages: board.pages.map((page, at) => (at === 0 ? { ...page, as_of, summary } : page)),
  };
}

/** A board with the changes that move no row: only other fields of its rows changed. */
export function withInPlaceChanges(board: Board, changes: Changes, sortBy: Sort): Board {
  const pages = board.pages.map((page) => ({
    ...page,
    items: page.items.map((item) => {
      const after = changes.get(item.id);
      return after && compare(item, after, sortBy) === 0 ? after : item;
    }),
  }));
  return { ...board, pages };
}

/** The changes that move rows: into the loaded pages, out of them, or to another place. */
export function movingChanges(board: Board, changes: Changes, sortBy: Sort): Changes {
  const loaded = new Map(board.pages.flatMap(({ items }) => items.map((item) => [item.id, item])));
  return new Map(
    [...changes].filter(([id, after]) => {
      const before = loaded.get(id);
      if (!before) return after !== null && isInReach(board, after, sortBy);
      return after === null || compare(before, after, sortBy) !== 0;
    }),
  );
}

/**
 * A board after all changes, with each row in its place. Rows after the loaded pages come with the
 * next page.
 */
export function withChanges(board: Board, changes: Changes, sortBy: Sort): Board {
  const [first, ...rest] = board.pages;
  if (!first || changes.size === 0) return board;
  const unchanged = board.pages.flatMap(({ items }) => items.filter(({ id }) => !changes.has(id)));
  const added = [...changes.values()].filter(
    (item) => item !== null && isInReach(board, item, sortBy),
  ) as SlaItem[];
  const items = merged(
    unchanged,
    added.toSorted((left, right) => compare(left, right, sortBy)),
    sortBy,
  );
  return {
    ...board,
    pages: [{ ...first, items }, ...rest.map((page) => ({ ...page, items: [] }))],
  };
}

function isInReach({ pages }: Board, item: SlaItem, sortBy: Sort): boolean {
  const last = pages.findLast(({ items }) => items.length > 0)?.items.at(-1);
  return (
    pages.at(-1)?.next_cursor === null || (last !== undefined && compare(item, last, sortBy) <= 0)
  );
}

/** Merges two sorted lists. */
function merged(left: readonly SlaItem[], right: readonly SlaItem[], sortBy: Sort): SlaItem[] {
  const both: SlaItem[] = [];
  let at = 0;
  for (const item of left) {
    for (let next = right[at]; next && compare(next, item, sortBy) < 0; next = right[at]) {
      both.push(next);
      at += 1;
    }
    both.push(item);
  }
  return [...both, ...right.slice(at)];
}

/** The order of GET /v1/exceptions/sla. Paused exceptions come last. */
function compare(left: SlaItem, right: SlaItem, sortBy: Sort): number {
  return (
    ranked(left, right, sortBy) || ordered(dueOf(left), dueOf(right)) || ordered(left.id, right.id)
  );
}

function ranked(left: SlaItem, right: SlaItem, sortBy: Sort): number {
  switch (sortBy) {
    case "severity":
      return SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity);
    case "assigned_to":
      return ordered(left.assigned_to ?? LAST, right.assigned_to ?? LAST);
    case "amount":
      return (
        ordered(left.currency ?? LAST, right.currency ?? LAST) ||
        (right.amount_minor ?? 0) - (left.amount_minor ?? 0)
      );
    case "due_at":
    case "breach_risk":
      return 0;
  }
}

const LAST = "\uffff";

function dueOf({ paused_at, due_at }: SlaItem): string {
  return paused_at === null ? due_at : LAST;
}

function ordered(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
