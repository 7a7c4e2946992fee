"use client";

import { RowLink } from "#components/kit/row-link.tsx";
import { CardRow, CardTable } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { Countdown } from "./countdown.tsx";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { FAILURES, formatDuration } from "./labels.ts";

const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[7.5rem_minmax(12rem,1fr)_minmax(10rem,1fr)_6rem_8rem] @4xl:gap-x-4";
const HEADINGS = ["State", "Event", "Last response", "Attempts", "Created"];

type Props = {
  items: Delivery[];
  asOf: string;
  stale: boolean;
  linkTo: (delivery: Delivery) => PageLink;
  /** The URL of a delivery's webhook, if the list has several webhooks. */
  urlOf?: (webhookId: string) => string | undefined;
};

export function DeliveryTable({ items, asOf, stale, linkTo, urlOf }: Props) {
  return (
    <CardTable caption="Deliveries, newest first" grid={COLUMNS} columns={HEADINGS} stale={stale}>
      {items.map((item) => (
        <Row
          key={item.id}
          delivery={item}
          asOf={asOf}
          to={linkTo(item)}
          parentPath={urlOf ? (urlOf(item.webhook_id) ?? item.webhook_id) : item.event_id}
        />
      ))}
    </CardTable>
  );
}

function Row({
  delivery,
  asOf,
  to,
  parentPath,
}: {
  delivery: Delivery;
  asOf: string;
  to: PageLink;
  parentPath: string;
}) {
  const { status, type, attempt_count, next_attempt_at, created_at } = delivery;
  return (
    <CardRow grid={COLUMNS} className="gap-y-1 py-2.5 @4xl:min-h-12 @4xl:py-1.5">
      <td>
        <DeliveryBadge status={status} />
      </td>
      <td className="min-w-0 @max-4xl:order-first @max-4xl:basis-full compact:flex compact:items-baseline compact:gap-x-3 compact:pr-32">
        <RowLink to={to} className="block truncate font-medium">
          {type}
        </RowLink>
        <code className="block truncate font-mono text-xs text-muted">{parentPath}</code>
      </td>
      <td className="min-w-0">
        <LastResponse delivery={delivery} />
      </td>
      <td className="tabular-nums @max-4xl:basis-full compact:basis-auto">
        {attempt_count}{" "}
        <span className="@4xl:sr-only">{attempt_count === 1 ? "attempt" : "attempts"}</span>
        {next_attempt_at && attempt_count > 0 && (
          <span className="text-muted @4xl:block">
            {" "}
            <span className="@4xl:sr-only">· next </span>
            <Countdown until={next_attempt_at} asOf={asOf} />
          </span>
        )}
      </td>
      <td className="text-muted tabular-nums @max-4xl:absolute @max-4xl:top-2.5 @max-4xl:right-2 compact:top-1.5">
        <RelativeTime iso={created_at} asOf={asOf} />
      </td>
    </CardRow>
  );
}

function LastResponse({ delivery: { status: state, last_attempt } }: { delivery: Delivery }) {
  if (!last_attempt)
    return (
      <span className="text-muted">{state === "failed" ? "Not sent" : "Not attempted yet"}</span>
    );
  const { status, failure_kind, status_code, duration_ms } = last_attempt;
  if (status === "in_flight") return <span className="text-muted">Waiting for a response…</span>;
  return (
    <span className="tabular-nums">
      {failure_kind && failure_kind !== "http_error" && (
        <span className="text-danger-text">{FAILURES[failure_kind].label} </span>
      )}
      {status === "interrupted" && "Interrupted "}
      {status_code !== null && (
        <span className={failure_kind ? "text-danger-text" : undefined}>{status_code} </span>
      )}
      <span className="text-muted">{formatDuration(duration_ms)}</span>
    </span>
  );
}
