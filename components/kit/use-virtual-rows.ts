"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Rows rendered beyond the screen, for the keyboard and fast scrolling. */
const OVERSCAN = 12;

/**
 * The rows of a long table that are near the screen; the page scrolls, not the table. `rowPx`: a row's usual height, which
 * `measure` corrects. `onEndNear`: the last row is near.
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
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin,
  });
  const placed = virtualizer.getVirtualItems();
  const first = placed.at(0);
  const last = placed.at(-1);

  const endIsNear = last !== undefined && last.index >= items.length - OVERSCAN;
  useEffect(() => {
    if (endIsNear) onEndNear();
  }, [endIsNear, onEndNear]);

  // The server and the first paint render every row: positions on the screen aren't known yet.
  const shown = first ? placed.map(({ index }) => index) : items.map((_, index) => index);
  return {
    body,
    measure: virtualizer.measureElement,
    /** The space of the rows that aren't rendered. */
    around: first &&
      last && { paddingTop: first.start - scrollMargin, paddingBottom: scrollMargin + virtualizer.getTotalSize() - last.end },
    rows: shown.flatMap((index) => {
      const item = items[index];
      return item ? [{ index, item }] : [];
    }),
  };
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
