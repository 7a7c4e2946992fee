"use client";

import type { ReactNode } from "react";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { PageLink } from "./use-search.ts";

/** A row's link, covering the whole row: to another page or to a panel. */
export function RowLink({
  to,
  title,
  className,
  children,
}: {
  to: PageLink | string;
  title?: string;
  className?: string;
  children: ReactNode;
}) {
  const given = {
    "data-row": true,
    title,
    className: classes("outline-none after:absolute after:inset-0", className ?? "block truncate text-base font-medium"),
    children,
  };
  if (typeof to === "string") return <PrefetchLink href={to} {...given} />;
  return (
    <a
      {...given}
      href={to.href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        to.follow();
      }}
    >
      {children}
    </a>
  );
}
