"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { Ago } from "#components/ui/ago.tsx";
import { classes } from "#components/ui/classes.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { HealthBadge } from "./health-badge.tsx";
import { shownDuration, shownRate, shownUrl } from "./words.ts";

/** The columns of the wide list; narrower than that, a row is a card. */
export const COLUMNS = "@4xl:grid @4xl:grid-cols-[minmax(14rem,1fr)_8rem_11rem_9rem_9rem_7rem] @4xl:gap-x-4";

/** `stale`: true while the rows of the filter before are shown. */
export function WebhookTable({ items, tenantId, asOf, stale }: { items: Webhook[]; tenantId: string; asOf: string; stale: boolean }) {
  return (
    <table aria-busy={stale} className={classes("block border-t border-line transition-opacity", stale && "opacity-60")}>
      <caption className="sr-only">Webhooks</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center px-2", COLUMNS)}>
          {["Receiver", "Health", "Events", "Success, 24 h / 7 d", "p50 / p95, 24 h", "Last sent"].map((name) => (
            <th key={name} scope="col" className="text-left font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block">
        {items.map((item) => (
          <Row key={item.id} webhook={item} href={`/${tenantId}/webhooks/${item.id}`} asOf={asOf} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ webhook, href, asOf }: { webhook: Webhook; href: string; asOf: string }) {
  const { url, description, events, last_24h, last_7d } = webhook;
  const lastSent = [webhook.last_success_at, webhook.last_failure_at]
    .filter((at) => at !== null)
    .sort()
    .at(-1);
  return (
    <tr
      className={`relative flex flex-wrap items-center gap-x-4 gap-y-1.5 border-b border-line px-2 py-3 text-sm transition-colors duration-100 hover:bg-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus @4xl:min-h-16 @4xl:py-2 ${COLUMNS}`}
    >
      <td className="min-w-0 @max-4xl:flex-1">
        <Link href={href} title={url} className="block truncate text-base font-medium outline-none after:absolute after:inset-0">
          {shownUrl(url)}
        </Link>
        {description && <p className="truncate text-muted">{description}</p>}
      </td>
      <td className="@max-4xl:ml-auto">
        <HealthBadge webhook={webhook} />
      </td>
      <td className="min-w-0 truncate @max-4xl:basis-full" title={events.join(", ")}>
        <Named name="Events">
          <code className="font-mono text-xs">{events[0]}</code>
          {events.length > 1 && <span className="text-muted @4xl:block"> and {events.length - 1} more</span>}
        </Named>
      </td>
      <td className="tabular-nums">
        <Named name="Success">
          {shownRate(last_24h.success_rate)} <span className="text-muted">/ {shownRate(last_7d.success_rate)}</span>
        </Named>
      </td>
      <td className="tabular-nums">
        <Named name="Answers in">
          {shownDuration(last_24h.p50_ms)} <span className="text-muted">/ {shownDuration(last_24h.p95_ms)}</span>
        </Named>
      </td>
      <td className="tabular-nums @max-4xl:basis-full">
        <Named name="Last sent">{lastSent ? <Ago iso={lastSent} asOf={asOf} /> : <span className="text-muted">Never</span>}</Named>
      </td>
    </tr>
  );
}

/** A value with its name, which the wide list has above the column. */
function Named({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="flex gap-x-1.5">
      <span className="shrink-0 text-muted @4xl:hidden">{name}</span>
      <span className="min-w-0 truncate">{children}</span>
    </span>
  );
}
