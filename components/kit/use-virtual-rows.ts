"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Rows rendered beyond the screen, for the keyboard and fast scrolling: a few at first, all once the page has settled. */
const OVERSCAN = { first: 2, usual: 12 };
const SETTLED_MS = 300;
const HEAD_PX = 80;
/** Rows that the server renders. What a larger screen shows comes with the first script: more at once would make one long task of it. */
const FIRST_MOST = 16;

/**
 * The rows of a long table that are near the screen; the page scrolls, not the table. `rowPx`: a row's usual height, which
 * `measure` corrects. `onEndNear`: called while the last row is near.
 */
export function useVirtualRows<Item extends { id: string }>({
  items,
  rowPx,
  onEndNear,
}: {
  items: readonly Item[];
  rowPx: number;
  onEndNear: () => void;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const scrollMargin = useDistanceFromTop(body);
  const settled = useSettled();
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: settled ? OVERSCAN.usual : OVERSCAN.first,
    scrollMargin,
    // Below the sticky head, which stands as high as the page scrolls to (globals.css).
    scrollPaddingStart: HEAD_PX,
  });
  const placed = virtualizer.getVirtualItems();
  const first = placed.at(0);
  const last = placed.at(-1);

  const endIsNear = last !== undefined && last.index >= items.length - OVERSCAN.usual;
  // After every render: a page that was given up must be asked for again, though the end never left the screen.
  useEffect(() => {
    if (endIsNear) onEndNear();
  });

  // The server and the first paint render the first rows: positions on the screen aren't known yet.
  const shown = first ? placed.map(({ index }) => index) : items.slice(0, FIRST_MOST).map((_, index) => index);
  return {
    body,
    measure: virtualizer.measureElement,
    /** Scrolls to a row, which renders it. */
    reveal: (index: number) => virtualizer.scrollToIndex(index),
    /** The space of the rows that aren't rendered. */
    around: first &&
      last && {
        paddingTop: first.start - scrollMargin,
        paddingBottom: scrollMargin + virtualizer.getTotalSize() - last.end,
        // To the browser, a row that is no longer rendered and the space that replaces it are two changes: it would scroll to and fro for ever.
        overflowAnchor: "none" as const,
      },
    rows: shown.flatMap((index) => {
      const item = items[index];
      return item ? [{ index, item }] : [];
    }),
  };
}

function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return settled;
}

/** An element's distance from the top of the page. */
function useDistanceFromTop(ref: RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0);
  // After every render: content above may have changed its height.
  useLayoutEffect(() => {
    if (ref.current) setDistance(ref.current.getBoundingClientRect().top + window.scrollY);
  });
  return distance;
}
