"use client";

import { type FocusEvent, type KeyboardEvent, type ReactNode, useContext } from "react";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { RowStop } from "./row-stop.tsx";
import { rowAt, rowFrom } from "./rows.ts";
import type { PageLink } from "./use-search.ts";

/**
 * A link that covers its whole row and opens a page or a panel. The arrow keys, Home and End move
 * between rows; an open panel follows them.
 */
export function RowLink({
  to,
  title,
  tabIndex,
  className,
  children,
}: {
  to: PageLink | string;
  title?: string;
  /**
   * For tables whose rows are a single tab stop and that manage focus themselves: -1 for all rows
   * but one.
   */
  tabIndex?: number | undefined;
  className?: string;
  children: ReactNode;
}) {
  const isPage = typeof to === "string";
  const opens = isPage ? to : to.opens;
  const stop = useContext(RowStop);
  const linkProps = {
    "data-row": opens,
    title,
    className: classes(
      "outline-none after:absolute after:inset-0 aria-[current]:after:bg-accent/8",
      "aria-[current]:after:inset-ring-2 aria-[current]:after:inset-ring-accent-text/60",
      className ?? "block truncate text-base font-medium",
    ),
    ...(tabIndex === undefined
      ? { onKeyDown: onArrow, tabIndex: stop === null || stop === opens ? 0 : -1 }
      : { tabIndex }),
    children,
  };
  if (isPage) return <PrefetchLink href={to} {...linkProps} />;
  return (
    <a
      {...linkProps}
      href={to.href}
      aria-current={to.isOpen ? "true" : undefined}
      onFocus={(event) =>
        to.switches && !to.isOpen && comesFromRow(event) && event.currentTarget.click()
      }
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        if (to.switches) to.replace();
        else to.follow();
      }}
    >
      {children}
    </a>
  );
}

/** Whether the focus came from another row by keyboard. */
function comesFromRow({ currentTarget, relatedTarget }: FocusEvent<HTMLAnchorElement>): boolean {
  return (
    currentTarget.matches(":focus-visible") &&
    relatedTarget instanceof Element &&
    relatedTarget.matches("a[data-row]")
  );
}

function onArrow(event: KeyboardEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
  const next = TO[event.key]?.(event.currentTarget.dataset.row ?? null);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const TO: Record<string, (row: string | null) => HTMLAnchorElement | undefined> = {
  ArrowDown: (row) => rowFrom(row, 1),
  ArrowUp: (row) => rowFrom(row, -1),
  Home: () => rowAt("first"),
  End: () => rowAt("last"),
};
