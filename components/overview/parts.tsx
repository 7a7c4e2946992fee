import type { ReactNode } from "react";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";

/**
 * A number with a link to the rows it counts, if a page shows exactly those. `label`: names them for
 * screen readers.
 */
export function Count({
  value,
  href,
  label,
  className,
}: {
  value: number | string;
  href?: string;
  label?: string;
  className?: string;
}) {
  const text = typeof value === "number" ? value.toLocaleString("en") : value;
  if (value === 0) return <span className={classes("text-muted tabular-nums", className)}>0</span>;
  if (!href) return <span className={classes("tabular-nums", className)}>{text}</span>;
  return (
    <PrefetchLink
      href={href}
      className={classes(
        "rounded-sm tabular-nums underline decoration-from-font underline-offset-2",
        className ?? "text-accent-text",
      )}
    >
      {text}
      {label && <span className="sr-only"> {label}</span>}
    </PrefetchLink>
  );
}

/** The content of a card without data. */
export function EmptyCard({ children }: { children: ReactNode }) {
  return <p className="py-4 text-sm text-muted">{children}</p>;
}

const HEAD = "py-1.5 pl-3 text-right font-medium first:pl-0 first:text-left";
const CELL = "py-1.5 pl-3 text-right tabular-nums";

/** A table of numbers; its first column names the row. */
export function NumberTable({
  caption,
  columns,
  children,
}: {
  caption: string;
  columns: readonly string[];
  children: ReactNode;
}) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      aria-label={`Table: ${caption}`}
      className="overflow-x-auto"
    >
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line align-bottom">
            {columns.map((name) => (
              <th key={name} scope="col" className={HEAD}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function NumberRow({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="w-full max-w-0 py-1.5 text-left font-normal">
        <span className="block truncate">{name}</span>
      </th>
      {children}
    </tr>
  );
}

export function NumberCell({ children, className }: { children: ReactNode; className?: string }) {
  return <td className={classes(CELL, "whitespace-nowrap", className)}>{children}</td>;
}
