"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { PageLink } from "#components/kit/use-search.ts";
import { classes } from "#components/ui/classes.ts";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { COLUMNS, ExceptionRow } from "./exception-row.tsx";
import type { BoardSearch } from "./search.ts";

const ROW_PX = 44;
/** Rows rendered beyond the screen, for the keyboard and fast scrolling. */
const OVERSCAN = 12;

type Sort = BoardSearch["sortBy"];

export function ExceptionTable({
  items,
  asOf,
  sortBy,
  onSort,
  total,
  stale,
  linkTo,
  selected,
  onToggle,
  onPause,
  onToggleAll,
  onEndNear,
}: {
  items: SlaItem[];
  asOf: string;
  sortBy: Sort;
  onSort: (sortBy: Sort) => void;
  /** The total, null until all are loaded. */
  total: number | null;
  /** True while rows of the previous filters are shown. */
  stale: boolean;
  linkTo: (to: { exception: string }) => PageLink;
  selected: ReadonlySet<string>;
  onToggle: (id: string, extend: boolean) => void;
  onPause: (item: SlaItem) => void;
  onToggleAll: (all: boolean) => void;
  onEndNear: () => void;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const scrollMargin = useDistanceFromTop(body);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin,
  });
  // The server and the first paint render every row: positions on the screen aren't known yet.
  const placed = virtualizer.getVirtualItems();
  const first = placed.at(0);
  const last = placed.at(-1);
  const around = first &&
    last && { paddingTop: first.start - scrollMargin, paddingBottom: scrollMargin + virtualizer.getTotalSize() - last.end };

  const chosen = useMemo(() => (selected.size === 0 ? 0 : items.filter(({ id }) => selected.has(id)).length), [items, selected]);
  const endIsNear = last !== undefined && last.index >= items.length - OVERSCAN;
  useEffect(() => {
    if (endIsNear) onEndNear();
  }, [endIsNear, onEndNear]);

  const sortable = (sort: Sort, name: string) => (
    <th scope="col" aria-sort={sortBy === sort ? "ascending" : undefined} className="text-left font-medium">
      <button type="button" onClick={() => onSort(sort)} className="flex h-8 items-center gap-1 rounded-sm hover:text-ink">
        {name}
        {sortBy === sort && <ArrowDown aria-hidden className="size-3.5" />}
      </button>
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
          <th scope="col" className="relative z-1">
            <label className="-m-1.5 flex size-8 items-center justify-center">
              <input
                type="checkbox"
                aria-label="Select all loaded exceptions"
                checked={chosen > 0 && chosen === items.length}
                ref={(box) => {
                  if (box) box.indeterminate = chosen > 0 && chosen < items.length;
                }}
                onChange={({ target }) => onToggleAll(target.checked)}
                className="size-4 accent-(--color-accent)"
              />
            </label>
          </th>
          {sortable("breach_risk", "Risk")}
          {sortable("due_at", "Time left")}
          <Heading className="text-left @max-5xl:hidden">Due</Heading>
          <Heading className="text-left">Exception</Heading>
          <Heading className="text-right @4xl:pr-3">Money at risk</Heading>
          {sortable("severity", "Severity")}
          {sortable("assigned_to", "Assignee")}
          <Heading className="text-left">Status</Heading>
        </tr>
      </thead>
      <tbody ref={body} className="block" style={around}>
        {(first ? placed : items.map((_, index) => ({ index }))).map(({ index }) => {
          const item = items[index];
          return (
            item && (
              <ExceptionRow
                key={item.id}
                ref={virtualizer.measureElement}
                index={index}
                item={item}
                asOf={asOf}
                linkTo={linkTo}
                selected={selected.has(item.id)}
                onToggle={onToggle}
                onPause={onPause}
              />
            )
          );
        })}
      </tbody>
    </table>
  );
}

function Heading({ className, children }: { className: string; children: ReactNode }) {
  return (
    <th scope="col" className={classes("font-medium", className)}>
      {children}
    </th>
  );
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
