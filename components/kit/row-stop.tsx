"use client";

import { type ComponentProps, createContext, useLayoutEffect, useRef, useState } from "react";

/** The row that Tab goes to, by what its link opens; null before the rows are known: then to each. */
export const RowStop = createContext<string | null>(null);

/** A table whose rows are one stop of Tab, the one that had the focus last or else the first; arrows lead from there (row-link.tsx). */
export function RowTable(props: ComponentProps<"table">) {
  const table = useRef<HTMLTableElement>(null);
  const [stop, setStop] = useState<string | null>(null);

  // After every render: rows come and go.
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
