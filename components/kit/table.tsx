"use client";

import type { ReactNode } from "react";
import { classes } from "#components/ui/classes.ts";
import { RowTable } from "./row-stop.tsx";

/** A column's name and its heading's classes. */
export type Column = string | readonly [name: string, className: string];

type Listed = {
  caption: string;
  columns: readonly Column[];
  /** True while rows of the previous filters are shown. */
  stale?: boolean;
  children: ReactNode;
};

const ROW =
  "relative border-b border-line text-sm transition-colors duration-100 hover:bg-hover " +
  "has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 " +
  "has-[[data-row]:focus-visible]:outline-focus";

/** A table whose rows become cards on narrow screens. `grid` sets the column widths. */
export function CardTable({ caption, columns, grid, stale, children }: Listed & { grid: string }) {
  return (
    <RowTable
      aria-busy={stale}
      className={classes("block border-t border-line transition-opacity", stale && "opacity-60")}
    >
      <caption className="sr-only">{caption}</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center px-2", grid)}>
          <Headings columns={columns} className="text-left font-medium" />
        </tr>
      </thead>
      <tbody className="block">{children}</tbody>
    </RowTable>
  );
}

export function CardRow({
  grid,
  className,
  children,
}: {
  grid: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <tr
      className={classes(
        ROW,
        "flex flex-wrap items-center gap-x-4 px-2 short:gap-y-0 short:py-1.5 compact:py-1",
        className,
        grid,
      )}
    >
      {children}
    </tr>
  );
}

/** A table that hides columns on narrow screens. */
export function PlainTable({ caption, columns, stale, children }: Listed) {
  return (
    <RowTable
      aria-busy={stale}
      className={classes("w-full table-fixed text-sm transition-opacity", stale && "opacity-60")}
    >
      <caption className="sr-only">{caption}</caption>
      <thead className="sticky top-0 z-10 bg-surface text-xs text-muted max-sm:sr-only">
        <tr className="border-b border-line text-left">
          <Headings columns={columns} className="h-9 pr-4 font-medium short:h-7" />
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </RowTable>
  );
}

export function PlainRow({ children }: { children: ReactNode }) {
  return <tr className={classes(ROW, "max-sm:flex max-sm:items-center")}>{children}</tr>;
}

export function PlainCell({ className, children }: { className?: string; children?: ReactNode }) {
  return (
    <td className={classes("py-2.5 pr-4 align-middle short:py-1.5", className)}>{children}</td>
  );
}

function Headings({ columns, className }: { columns: readonly Column[]; className: string }) {
  return columns.map((column) => {
    const [name, own] = typeof column === "string" ? [column, undefined] : column;
    return (
      <th key={name} scope="col" className={classes(className, own)}>
        {name}
      </th>
    );
  });
}

/**
 * A labelled value in a card; the wide table shows the label as a column heading. `always` shows it
 * in both.
 */
export function Named({
  name,
  always = false,
  children,
}: {
  name: string;
  always?: boolean;
  children: ReactNode;
}) {
  return (
    <span className="flex min-w-0 flex-wrap gap-x-1.5 compact:flex-nowrap">
      <span className={classes("shrink-0 text-muted", !always && "@4xl:hidden")}>{name} </span>
      <span className="min-w-0">{children}</span>
    </span>
  );
}
