"use client";

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { SlaItem } from "#lib/exceptions/contract.ts";

const NONE: ReadonlySet<string> = new Set();

/** Which rows are chosen. What has left the board is chosen no longer. */
export function useSelection(items: readonly SlaItem[]) {
  const [marked, setMarked] = useState(NONE);
  const last = useRef<string>(null);
  const rows = useRef(items);
  useLayoutEffect(() => {
    rows.current = items;
  }, [items]);
  const chosen = useMemo(() => (marked.size === 0 ? [] : items.filter(({ id }) => marked.has(id))), [items, marked]);

  /** `extend`: also every row between this one and the last one chosen. One function for good, as every row has it. */
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
    /** Beside what is chosen by now. */
    mark: (ids: readonly string[]) => setMarked((now) => new Set([...now, ...ids])),
    markAll: () => setMarked(new Set(items.map(({ id }) => id))),
    clear: () => setMarked(NONE),
  };
}

function between(items: readonly SlaItem[], from: string | null, to: string): string[] {
  const [here, there] = [items.findIndex(({ id }) => id === to), items.findIndex(({ id }) => id === from)];
  return there < 0 ? [to] : items.slice(Math.min(here, there), Math.max(here, there) + 1).map(({ id }) => id);
}
