import type { InfiniteData } from "@tanstack/react-query";
import type { SlaItem, SlaList } from "#lib/exceptions/contract.ts";

/** The loaded pages of a board. */
export type Board = InfiniteData<SlaList>;

type Patch = { [Field in keyof SlaItem]?: unknown };

/** A board after an optimistic change: closed exceptions are removed. */
export function withChange(board: Board, ids: ReadonlySet<string>, patch: Patch): Board {
  const closes = patch.status === "resolved" || patch.status === "dismissed";
  const pages = board.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((item) => (!ids.has(item.id) ? [item] : closes ? [] : [{ ...item, ...patch } as SlaItem])),
  }));
  return { ...board, pages };
}
