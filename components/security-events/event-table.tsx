"use client";

import { ArrowLeftRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { identityOf, namesakes } from "#components/people/namesakes.ts";
import { Badge } from "#components/ui/badge.tsx";
import { classes } from "#components/ui/classes.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { COLUMNS } from "./columns.ts";
import { actionOf, iconOf, shortTarget, targetHref, whoOf } from "./words.ts";

export function EventTable({
  tenantId,
  items,
  stale,
  hrefOf,
  onOpen,
}: {
  tenantId: string;
  items: SecurityEvent[];
  /** True while the rows of the filters before are shown. */
  stale: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}) {
  const whichOf = namesakes(items);
  return (
    <table aria-busy={stale} className={classes("block border-t border-line transition-opacity", stale && "opacity-60")}>
      <caption className="sr-only">Security events</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center px-2", COLUMNS)}>
          <Heading>Time</Heading>
          <Heading>What</Heading>
          <Heading>Who</Heading>
          <Heading>To what</Heading>
          <Heading>From</Heading>
          <Heading className="@max-6xl:hidden">Request</Heading>
        </tr>
      </thead>
      <tbody className="block">
        {items.map((item) => (
          <Row key={item.id} tenantId={tenantId} event={item} which={whichOf(item)} href={hrefOf(item.id)} onOpen={() => onOpen(item.id)} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  tenantId,
  event,
  which,
  href,
  onOpen,
}: {
  tenantId: string;
  event: SecurityEvent;
  /** Which of several people of that name. */
  which: string | null;
  href: string;
  onOpen: () => void;
}) {
  const Icon = iconOf(event.type);
  return (
    <tr
      className={`relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-2 py-3 text-sm transition-colors duration-100 hover:bg-hover has-[a.main:focus-visible]:outline-2 has-[a.main:focus-visible]:-outline-offset-2 has-[a.main:focus-visible]:outline-focus @4xl:min-h-11 @4xl:py-1.5 ${COLUMNS}`}
    >
      <td className="whitespace-nowrap text-muted tabular-nums @max-4xl:order-2">
        <Time iso={event.at} />
      </td>
      <td className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 @max-4xl:order-1 @max-4xl:basis-full">
        <a
          href={href}
          onClick={(click) => {
            if (click.metaKey || click.ctrlKey || click.shiftKey) return;
            click.preventDefault();
            onOpen();
          }}
          className="main flex min-w-0 items-center gap-2 font-medium outline-none after:absolute after:inset-0"
        >
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 wrap-break-word">{actionOf(event)}</span>
        </a>
        {event.cross_tenant && (
          <Badge tone="warning" icon={ArrowLeftRight}>
            Cross-tenant
          </Badge>
        )}
      </td>
      <td className="min-w-0 truncate @max-4xl:order-3" title={identityOf(event) ?? event.actor}>
        {whoOf(event)}
        {which && <span className="text-muted"> ({which})</span>}
      </td>
      <td className="min-w-0 truncate @max-4xl:order-4">{event.target && <Target tenantId={tenantId} target={event.target} />}</td>
      <td className="min-w-0 truncate font-mono text-xs text-muted @max-4xl:order-5">{event.address}</td>
      <td className="relative -my-1 flex min-w-0 items-center @max-6xl:hidden">
        {event.request_id && (
          <>
            <code className="truncate font-mono text-xs text-muted">{event.request_id}</code>
            <CopyButton text={event.request_id} label={`Copy the request id ${event.request_id}`} />
          </>
        )}
      </td>
    </tr>
  );
}

/** A link where there is a page for it, above the row's own. */
export function Target({ tenantId, target }: { tenantId: string; target: string }) {
  const href = targetHref(tenantId, target);
  const shown = <code className="font-mono text-xs">{shortTarget(target)}</code>;
  if (!href) return <span title={target}>{shown}</span>;
  return (
    <Link href={href} prefetch={false} title={target} className="relative text-accent-text hover:underline">
      {shown}
    </Link>
  );
}

function Heading({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <th scope="col" className={classes("text-left font-medium", className)}>
      {children}
    </th>
  );
}
