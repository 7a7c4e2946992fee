"use client";

import type { ReactNode } from "react";
import { Assignee } from "#components/exceptions/assignee.tsx";
import { classes } from "#components/ui/classes.ts";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { Expiry } from "./expiry.tsx";
import { LastUsed } from "./last-used.tsx";
import { ScopeSummary } from "./scope-list.tsx";
import { Sparkline } from "./sparkline.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { maskedId } from "./words.ts";

/** The columns of the wide list; narrower than that, a row is a card. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[minmax(10rem,1fr)_6.5rem_12.5rem_8rem_9rem_11.5rem] @6xl:grid-cols-[minmax(10rem,1fr)_6.5rem_13rem_8rem_9.5rem_11.5rem_6rem] @4xl:gap-x-3";

export function KeyTable({
  items,
  asOf,
  stale,
  hrefOf,
  onOpen,
}: {
  items: ApiKey[];
  asOf: string;
  /** True while the rows of the filters before are shown. */
  stale: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}) {
  return (
    <table aria-busy={stale} className={classes("block border-t border-line transition-opacity", stale && "opacity-60")}>
      <caption className="sr-only">API keys</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center px-2", COLUMNS)}>
          <Heading>Key</Heading>
          <Heading>Status</Heading>
          <Heading>Scopes</Heading>
          <Heading>Calls in 7 days</Heading>
          <Heading>Last used</Heading>
          <Heading>Expires</Heading>
          <Heading className="@max-6xl:hidden">Created by</Heading>
        </tr>
      </thead>
      <tbody className="block">
        {items.map((item) => (
          <Row key={item.id} apiKey={item} asOf={asOf} href={hrefOf(item.id)} onOpen={() => onOpen(item.id)} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ apiKey, asOf, href, onOpen }: { apiKey: ApiKey; asOf: string; href: string; onOpen: () => void }) {
  return (
    <tr
      className={`relative flex flex-wrap items-center gap-x-4 gap-y-1.5 border-b border-line px-2 py-3 text-sm transition-colors duration-100 hover:bg-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus @4xl:min-h-14 @4xl:py-2 ${COLUMNS}`}
    >
      <td className="min-w-0 @max-4xl:flex-1">
        <a
          href={href}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onOpen();
          }}
          className="block truncate text-base font-medium outline-none after:absolute after:inset-0"
        >
          {apiKey.name}
        </a>
        <code className="font-mono text-xs text-muted" title={apiKey.key_id}>
          {maskedId(apiKey.key_id)}
        </code>
      </td>
      <td className="@max-4xl:ml-auto">
        <StatusBadge status={apiKey.status} />
      </td>
      <td className="min-w-0 @max-4xl:basis-full">
        <ScopeSummary scopes={apiKey.scopes} />
      </td>
      <td>
        <Sparkline calls={apiKey.calls_by_day} />
      </td>
      <td className="tabular-nums">
        <Named name="Last used">
          <LastUsed apiKey={apiKey} asOf={asOf} />
        </Named>
      </td>
      <td className="tabular-nums @max-4xl:basis-full">
        <Named name={apiKey.status === "revoked" ? "Revoked" : "Expires"} wide={apiKey.status === "revoked"}>
          <Expiry apiKey={apiKey} asOf={asOf} />
        </Named>
      </td>
      <td className="flex min-w-0 @max-6xl:hidden">
        <Assignee reference={apiKey.created_by} />
      </td>
    </tr>
  );
}

/** A value with its name, which the wide list has above the column. */
function Named({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <span className="flex flex-wrap gap-x-1.5">
      <span className={classes("text-muted", !wide && "@4xl:hidden")}>{name}</span>
      {children}
    </span>
  );
}

function Heading({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <th scope="col" className={classes("text-left font-medium", className)}>
      {children}
    </th>
  );
}
