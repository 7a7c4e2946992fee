"use client";

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { SlaItem } from "#lib/exceptions/contract.ts";

const NONE: ReadonlySet<string> = new Set();

/** The selected rows. Rows that leave the board are deselected. */
export function useSelection(items: readonly SlaItem[]) {
  const [marked, setMarked] = useState(NONE);
  const last = useRef<string>(null);
  const rows = useRef(items);
  useLayoutEffect(() => {
    rows.current = items;
  }, [items]);
  const chosen = useMemo(
    () => (marked.size === 0 ? [] : items.filter(({ id }) => marked.has(id))),
    [items, marked],
  );

  /**
   * `extend` also selects every row between this and the last one. It is stable, because every row
   * receives it.
   */
  const toggle = useCallback((id: string, extend: boolean) => {
    const concerned = extend ? between(rows.current, last.current, id) : [id];
    last.current = id;
    setMarked((now) => {
      const next = new Set(now);
      for (const one of concerned) {
        if (now.has(id)) next.delete(one);
        else next.add(one);
      }
      return next;
    });
  }, []);

  return {
    marked,
    chosen,
    toggle,
    /** Adds to the selection. */
    mark: (ids: readonly string[]) => setMarked((now) => new Set([...now, ...ids])),
    markAll: () => setMarked(new Set(items.map(({ id }) => id))),
    clear: () => setMarked(NONE),
  };
}

function between(items: readonly SlaItem[], from: string | null, to: string): string[] {
  const [here, there] = [
    items.findIndex(({ id }) => id === to),
    items.findIndex(({ id }) => id === from),
  ];
  return there < 0
    ? [to]
    : items.slice(Math.min(here, there), Math.max(here, there) + 1).map(({ id }) => id);
}
