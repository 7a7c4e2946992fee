"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useState } from "react";

/**
 * Announces new rows once and leads from one to the next. New rows are held back until it is
 * clicked, so that no row moves. `arrived` are the rows shown last, from top to bottom, as are
 * those that `onShow` returns.
 */
export function NewRows({
  waiting,
  arrived,
  onShow,
  onLead,
}: {
  waiting: number;
  arrived: ReadonlySet<string>;
  onShow: () => ReadonlySet<string>;
  onLead: (id: string) => void;
}) {
  const [tour, setTour] = useState({ rows: arrived, at: -1 });
  const next = tour.rows === arrived ? tour.at + 1 : 0;

  function lead(rows: ReadonlySet<string>, at: number): void {
    setTour({ rows, at });
    const id = [...rows][at];
    if (id !== undefined) onLead(id);
  }

  return (
    <div className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center">
      <p role="status" className="sr-only">
        {waiting > 0
          ? `${newRowsLabel(waiting)} waiting`
          : arrived.size > 0 && `${newRowsLabel(arrived.size)} shown`}
      </p>
      {waiting > 0 ? (
        <Pill onClick={() => lead(onShow(), 0)}>
          <ArrowUp aria-hidden className="size-4" />
          {waiting.toLocaleString("en")} new
        </Pill>
      ) : (
        next < arrived.size && (
          <Pill onClick={() => lead(arrived, next)}>
            <ArrowDown aria-hidden className="size-4" />
            {next === 0
              ? `${arrived.size.toLocaleString("en")} new`
              : `Next new (${next + 1} of ${arrived.size})`}
          </Pill>
        )
      )}
    </div>
  );
}

function Pill({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="pointer-events-auto flex h-8 items-center gap-1.5 rounded-full bg-accent px-3 text-sm font-medium whitespace-nowrap text-on-accent shadow-overlay hover:bg-accent-hover"
    >
      {children}
    </button>
  );
}

function newRowsLabel(count: number): string {
  return `${count.toLocaleString("en")} new ${count === 1 ? "exception" : "exceptions"}`;
}
