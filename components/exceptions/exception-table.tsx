"use client";

import { ArrowDown } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { PageLink } from "#components/kit/use-search.ts";
import { useVirtualRows } from "#components/kit/use-virtual-rows.ts";
import { classes } from "#components/ui/classes.ts";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { COLUMNS, ExceptionRow } from "./exception-row.tsx";
import type { BoardSearch } from "./search.ts";

const ROW_PX = 44;

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
  const { body, measure, around, rows } = useVirtualRows({ items, rowPx: ROW_PX, onEndNear });
  const chosen = useMemo(() => (selected.size === 0 ? 0 : items.filter(({ id }) => selected.has(id)).length), [items, selected]);

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
        {rows.map(({ index, item }) => (
          <ExceptionRow
            key={item.id}
            ref={measure}
            index={index}
            item={item}
            asOf={asOf}
            linkTo={linkTo}
            selected={selected.has(item.id)}
            onToggle={onToggle}
            onPause={onPause}
          />
        ))}
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
