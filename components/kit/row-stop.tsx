"use client";

import { type ComponentProps, createContext, useLayoutEffect, useRef, useState } from "react";

/**
 * The row that Tab focuses, by what its link opens. Null until the rows are known: then Tab stops
 * at each.
 */
export const RowStop = createContext<string | null>(null);

/**
 * A table whose rows are a single tab stop: the last focused row, or else the first. Arrow keys
 * move from there (row-link.tsx).
 */
export function RowTable(props: ComponentProps<"table">) {
  const table = useRef<HTMLTableElement>(null);
  const [stop, setStop] = useState<string | null>(null);

  // After every render, because rows change.
  useLayoutEffect(() => {
    const rows = [...(table.current?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
    if (!rows.some(({ dataset }) => dataset.row === stop)) setStop(rows[0]?.dataset.row ?? null);
  });

  return (
    <RowStop value={stop}>
      <table
        {...props}
        ref={table}
        onFocus={({ target }) => {
          const row = target.closest<HTMLElement>("a[data-row]")?.dataset.row;
          if (row !== undefined) setStop(row);
        }}
      />
    </RowStop>
  );
}
