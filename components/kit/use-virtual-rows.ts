"use client";

import { measureElement, useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useInBrowser } from "#components/ui/in-browser.ts";

/**
 * Rows rendered outside the screen, for the keyboard and fast scrolling: two at first, twelve once
 * the page has settled.
 */
const OVERSCAN = { first: 2, usual: 12 };
const PAINTED_MS = 50;
const SETTLED_MS = 300;
const HEAD_PX = 80;
/**
 * The maximum number of rows in the first paint. More would make one long task; a larger screen
 * gets the rest right after.
 */
const FIRST_MAX = 14;

/**
 * The rows of a long table that are near the screen; the page scrolls, not the table. `rowPx` is an
 * item's usual height, which `measure` corrects. `onEndNear` is called while the last row is near.
 */
export function useVirtualRows<Item extends { id: string }>({
  items,
  rowPx,
  onEndNear,
}: {
  items: readonly Item[];
  rowPx: (item: Item) => number;
  onEndNear: () => void;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const phase = usePhase();
  const scrollMargin = useDistanceFromTop(body, phase !== "first");
  const pxOf = (index: number) => (items[index] ? rowPx(items[index]) : 0);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    // Positions are read after the first paint, because reading them before would force a layout.
    enabled: phase !== "first",
    count: items.length,
    estimateSize: pxOf,
    measureElement: measureOnceLaidOut,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: phase === "settled" ? OVERSCAN.usual : OVERSCAN.first,
    scrollMargin,
    // Below the sticky header; globals.css uses the same height.
    scrollPaddingStart: HEAD_PX,
  });
  const placed = virtualizer.getVirtualItems();
  const first = placed.at(0);
  const last = placed.at(-1);

  const endIsNear = last !== undefined && last.index >= items.length - OVERSCAN.usual;
  // After every render, because a cancelled page must be requested again although the end never
  // left the screen.
  useEffect(() => {
    if (endIsNear) onEndNear();
  });

  const inBrowser = useInBrowser();
  const visible = first
    ? placed.map(({ index }) => index)
    : items.slice(0, FIRST_MAX).map((_, index) => index);
  return {
    body,
    measure: virtualizer.measureElement,
    /** Scrolls to a row, which renders it. */
    reveal: (index: number) => virtualizer.scrollToIndex(index),
    /** The space of the rows that aren't rendered. */
    around: inBrowser
      ? {
          paddingTop: first ? first.start - scrollMargin : 0,
          paddingBottom: last
            ? scrollMargin + virtualizer.getTotalSize() - last.end
            : items.slice(FIRST_MAX).reduce((sum, item) => sum + rowPx(item), 0),
          // The browser would treat a removed row and its replacing space as two changes and scroll
          // back and forth for ever.
          overflowAnchor: "none" as const,
        }
      : // The content security policy forbids style attributes from the server.
        undefined,
    rows: visible.flatMap((index) => {
      const item = items[index];
      return item ? [{ index, item }] : [];
    }),
  };
}

/**
 * A row's height as the browser reports it after a layout, and estimated until then, so that no
 * layout is forced.
 */
function measureOnceLaidOut(
  row: HTMLTableRowElement,
  entry: ResizeObserverEntry | undefined,
  virtualizer: Virtualizer<Window, HTMLTableRowElement>,
): number {
  if (entry) return measureElement(row, entry, virtualizer);
  const index = virtualizer.indexFromElement(row);
  return (
    virtualizer.itemSizeCache.get(virtualizer.options.getItemKey(index)) ??
    virtualizer.options.estimateSize(index)
  );
}

/**
 * The phase of the page: before the first paint, after it, and settled. Effects may run before the
 * paint, so timers decide.
 */
function usePhase(): "first" | "painted" | "settled" {
  const [phase, setPhase] = useState<"first" | "painted" | "settled">("first");
  useEffect(() => {
    const timers = [
      setTimeout(() => setPhase("painted"), PAINTED_MS),
      setTimeout(() => setPhase("settled"), SETTLED_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }, []);
  return phase;
}

/** An element's distance from the top of the page. */
function useDistanceFromTop(ref: RefObject<HTMLElement | null>, isPainted: boolean): number {
  const [distance, setDistance] = useState(0);
  // After every render: content above may have changed its height.
  useLayoutEffect(() => {
    if (isPainted && ref.current)
      setDistance(ref.current.getBoundingClientRect().top + window.scrollY);
  });
  return distance;
}
