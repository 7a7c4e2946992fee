"use client";

import type { ReactNode } from "react";
import type { PageLink } from "#components/kit/use-search.ts";
import { useVirtualRows } from "#components/kit/use-virtual-rows.ts";
import { classes } from "#components/ui/classes.ts";
import type { Line } from "#lib/lines/contract.ts";
import { columnsOf, LineRow } from "./line-row.tsx";

const rowPx = () => 45;

const ignored = () => {};

export function LineTable({
  caption,
  items,
  linkTo,
  sourceName,
  total = null,
  stale = false,
  onEndNear = ignored,
}: {
  caption: string;
  items: readonly Line[];
  linkTo: (to: { line: string }) => PageLink | string;
  /** The name of a line's source, in a list of several sources. */
  sourceName?: ((line: Line) => string) | undefined;
  /** The total, null until all are loaded. */
  total?: number | null;
  /** True while rows of the previous filters are shown. */
  stale?: boolean;
  onEndNear?: () => void;
}) {
  const { body, measure, around, rows } = useVirtualRows({ items, rowPx, onEndNear });
  return (
    <table
      aria-rowcount={total === null ? -1 : total + 1}
      aria-busy={stale}
      className={classes("block border-t border-line transition-opacity", stale && "opacity-60")}
    >
      <caption className="sr-only">{caption}</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center px-4", columnsOf(sourceName !== undefined))}>
          <Heading>Value date</Heading>
          <Heading>Counterparty</Heading>
          <Heading>Reference</Heading>
          {sourceName && <Heading>Source</Heading>}
          <Heading>State</Heading>
          <Heading className="text-right">Amount</Heading>
        </tr>
      </thead>
      <tbody ref={body} className="block" style={around}>
        {rows.map(({ index, item }) => (
          <LineRow
            key={item.id}
            ref={measure}
            index={index}
            line={item}
            linkTo={linkTo}
            source={sourceName?.(item)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Heading({
  className = "text-left",
  children,
}: {
  className?: string;
  children: ReactNode;
}) {
  return (
    <th scope="col" className={classes("font-medium", className)}>
      {children}
    </th>
  );
}
