"use client";

import { ResourceName } from "#components/kit/resource-name.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { CardRow, CardTable } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Timestamp } from "#components/ui/timestamp.tsx";
import type { LoggedRequest } from "#lib/request-log/contract.ts";
import { callerLabel, formatDuration, signOf } from "./labels.ts";

/** The columns of the wide table; on narrow screens rows are cards. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[5.5rem_minmax(14rem,1fr)_minmax(8rem,14rem)_5rem_9.5rem] @4xl:gap-x-4";
const HEADINGS = ["Status", "Request", "Caller", "Duration", "Time"];

type Props = {
  items: LoggedRequest[];
  stale: boolean;
  linkTo: (to: { request: string }) => PageLink;
  /** Held: new rows wait until the pointer leaves. */
  live: false | "following" | "held";
  onPointed: (pointed: boolean) => void;
};

export function RequestTable({ items, stale, linkTo, live, onPointed }: Props) {
  return (
    <div onPointerEnter={() => onPointed(true)} onPointerLeave={() => onPointed(false)}>
      <p role="status" className="pb-2 text-sm text-muted empty:hidden">
        {live &&
          (live === "held"
            ? "Paused while you point at the list."
            : "New requests appear automatically.")}
      </p>
      <CardTable caption="Requests, newest first" grid={COLUMNS} columns={HEADINGS} stale={stale}>
        {items.map((item) => (
          <Row key={item.id} call={item} to={linkTo({ request: item.id })} />
        ))}
      </CardTable>
    </div>
  );
}

function Row({ call, to }: { call: LoggedRequest; to: PageLink }) {
  const { icon, tone } = signOf(call.status);
  return (
    <CardRow grid={COLUMNS} className="gap-y-1 py-2.5 @4xl:min-h-12 @4xl:py-1.5">
      <td>
        <Badge tone={tone} icon={icon}>
          {call.status}
        </Badge>
      </td>
      <td className="min-w-0 @max-4xl:order-first @max-4xl:basis-full compact:flex compact:items-baseline compact:gap-x-3">
        <RowLink to={to} className="block truncate font-mono text-sm font-medium" title={call.path}>
          {call.method} {call.path}
        </RowLink>
        <span className="block truncate text-xs text-muted">
          {call.operation ?? "Unknown operation"}
          {call.error_code && <span className="text-danger-text"> · {call.error_code}</span>}
        </span>
      </td>
      <td className="min-w-0 truncate" title={call.api_key_id ?? call.actor ?? undefined}>
        {call.api_key_id === null ? callerLabel(call) : <ResourceName id={call.api_key_id} />}
      </td>
      <td className="tabular-nums">{formatDuration(call.duration_ms)}</td>
      <td className="text-muted tabular-nums">
        <Timestamp iso={call.at} />
      </td>
    </CardRow>
  );
}
