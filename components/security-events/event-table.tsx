"use client";

import { ArrowLeftRight } from "lucide-react";
import { RowLink } from "#components/kit/row-link.tsx";
import { CardRow, CardTable, type Column } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { identityOf, namesakes } from "#components/people/namesakes.ts";
import { Badge } from "#components/ui/badge.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { iconOf, whoOf } from "./labels.ts";
import { sentenceOf } from "./sentence.ts";
import { Target } from "./target.tsx";

/** The columns of the wide table; on narrow screens rows are cards. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[7.5rem_minmax(15rem,1fr)_8.5rem_10rem_9rem] " +
  "@6xl:grid-cols-[7.5rem_minmax(16rem,1fr)_9.5rem_11rem_10rem_11rem] @4xl:gap-x-3";

const HEADINGS: readonly Column[] = [
  "Time",
  "Action",
  "Actor",
  "Target",
  "From",
  ["Request", "@max-6xl:hidden"],
];

type Props = {
  items: SecurityEvent[];
  stale: boolean;
  linkTo: (to: { event: string }) => PageLink;
};

export function EventTable({ items, stale, linkTo }: Props) {
  const whichOf = namesakes(items);
  return (
    <CardTable caption="Security events" grid={COLUMNS} columns={HEADINGS} stale={stale}>
      {items.map((item) => (
        <Row key={item.id} event={item} which={whichOf(item)} to={linkTo({ event: item.id })} />
      ))}
    </CardTable>
  );
}

/** `which`: the person, if several have the name. */
function Row({ event, which, to }: { event: SecurityEvent; which: string | null; to: PageLink }) {
  const Icon = iconOf(event.type);
  return (
    <CardRow grid={COLUMNS} className="gap-y-1 py-3 @4xl:min-h-11 @4xl:py-1.5">
      <td className="whitespace-nowrap text-muted tabular-nums @max-4xl:order-2">
        <Time iso={event.at} />
      </td>
      <td className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 @max-4xl:order-1 @max-4xl:basis-full">
        <RowLink to={to} className="flex min-w-0 items-center gap-2 font-medium">
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 wrap-break-word">{sentenceOf(event)}</span>
        </RowLink>
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
      <td className="min-w-0 truncate @max-4xl:order-4">
        {event.target && <Target event={event} target={event.target} />}
      </td>
      <td className="min-w-0 truncate font-mono text-xs text-muted @max-4xl:order-5">
        {event.address}
      </td>
      <td className="relative -my-1 flex min-w-0 items-center @max-6xl:hidden">
        {event.request_id && (
          <>
            <code className="truncate font-mono text-xs text-muted">{event.request_id}</code>
            <CopyButton text={event.request_id} label={`Copy the request ID ${event.request_id}`} />
          </>
        )}
      </td>
    </CardRow>
  );
}
