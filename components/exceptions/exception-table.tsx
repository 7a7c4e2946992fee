"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { classes } from "#components/ui/classes.ts";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { COLUMNS, ExceptionRow } from "./exception-row.tsx";
import type { BoardSearch } from "./search.ts";

const ROW_PX = 44;
/** Rows beyond the screen that are there all the same, for the keyboard and for fast scrolling. */
const OVERSCAN = 12;

/** Where a sort's order can be seen. */
const SORTED_COLUMN: Record<BoardSearch["sortBy"], string> = {
  due_at: "Time left",
  breach_risk: "Risk",
  severity: "Severity",
  assigned_to: "Assignee",
};

export function ExceptionTable({
  items,
  asOf,
  sortBy,
  total,
  stale,
  hrefOf,
  onOpen,
  onEndNear,
}: {
  items: SlaItem[];
  asOf: string;
  sortBy: BoardSearch["sortBy"];
  /** How many there are, null while not all are loaded. */
  total: number | null;
  /** True while the rows of the filters before are shown. */
  stale: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  onEndNear: () => void;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const scrollMargin = useDistanceFromTop(body);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin: scrollMargin ?? 0,
    enabled: scrollMargin !== null,
  });
  // The server and the first paint show every row they have: where they are on the screen is not known yet.
  const visible = scrollMargin === null ? items.map((_, index) => ({ index, start: 0, end: 0 })) : virtualizer.getVirtualItems();
  const first = visible[0];
  const last = visible.at(-1);
  const padding = scrollMargin !== null &&
    first &&
    last && { paddingTop: first.start - scrollMargin, paddingBottom: scrollMargin + virtualizer.getTotalSize() - last.end };

  const endIsNear = last !== undefined && scrollMargin !== null && last.index >= items.length - OVERSCAN;
  useEffect(() => {
    if (endIsNear) onEndNear();
  }, [endIsNear, onEndNear]);

  const heading = (name: string, className?: string) => (
    <th
      scope="col"
      aria-sort={SORTED_COLUMN[sortBy] === name ? "ascending" : undefined}
      className={classes("text-left font-medium", className)}
    >
      {name}
    </th>
  );

  return (
    <table
      aria-rowcount={total === null ? -1 : total + 1}
      aria-busy={stale}
      className={classes("block transition-opacity", stale && "opacity-60")}
    >
      <caption className="sr-only">Open exceptions</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center pr-3 pl-4", COLUMNS)}>
          {heading("Risk")}
          {heading("Time left")}
          {heading("Due", "@max-6xl:hidden")}
          {heading("Exception")}
          {heading("Money at risk", "text-right @4xl:pr-3")}
          {heading("Severity")}
          {heading("Assignee")}
          {heading("Status")}
        </tr>
      </thead>
      <tbody ref={body} className="block" style={padding || undefined}>
        {visible.map(({ index }) => {
          const item = items[index];
          return (
            item && (
              <ExceptionRow
                key={item.id}
                ref={virtualizer.measureElement}
                index={index}
                item={item}
                asOf={asOf}
                href={hrefOf(item.id)}
                onOpen={() => onOpen(item.id)}
              />
            )
          );
        })}
      </tbody>
    </table>
  );
}

/** An element's distance from the top of the page, null until it is on the screen. */
function useDistanceFromTop(ref: React.RefObject<HTMLElement | null>): number | null {
  const [distance, setDistance] = useState<number | null>(null);
  // After every render: what stands above may have changed its height.
  useLayoutEffect(() => {
    if (ref.current) setDistance(ref.current.getBoundingClientRect().top + window.scrollY);
  });
  return distance;
}
