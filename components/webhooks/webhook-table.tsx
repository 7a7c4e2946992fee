"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { CardRow, CardTable, Named } from "#components/kit/table.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { HealthBadge } from "./health-badge.tsx";
import { formatDuration, formatRate, formatUrl } from "./labels.ts";

/** The columns of the wide table; on narrow screens rows are cards. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[minmax(14rem,1fr)_8rem_11rem_9rem_9rem_7rem] @4xl:gap-x-4";

const HEADINGS = [
  "Receiver",
  "Health",
  "Events",
  "Success, 24 h / 7 d",
  "p50 / p95, 24 h",
  "Last sent",
];

export function WebhookTable({
  items,
  asOf,
  stale,
}: {
  items: Webhook[];
  asOf: string;
  stale: boolean;
}) {
  const tenantId = useTenantId();
  return (
    <CardTable caption="Webhooks" grid={COLUMNS} columns={HEADINGS} stale={stale}>
      {items.map((item) => (
        <Row key={item.id} webhook={item} href={`/${tenantId}/webhooks/${item.id}`} asOf={asOf} />
      ))}
    </CardTable>
  );
}

function Row({ webhook, href, asOf }: { webhook: Webhook; href: string; asOf: string }) {
  const { url, description, events, last_24h, last_7d } = webhook;
  const lastSent = [webhook.last_success_at, webhook.last_failure_at]
    .filter((at) => at !== null)
    .sort()
    .at(-1);
  return (
    <CardRow grid={COLUMNS} className="gap-y-1.5 py-3 @4xl:min-h-16 @4xl:py-2">
      <td className="min-w-0 @max-4xl:flex-1 compact:flex compact:items-baseline compact:gap-x-3">
        <RowLink to={href} title={url}>
          {formatUrl(url)}
        </RowLink>
        {description && <p className="truncate text-muted">{description}</p>}
      </td>
      <td className="@max-4xl:ml-auto">
        <HealthBadge webhook={webhook} />
      </td>
      <td className="min-w-0 @max-4xl:basis-full compact:basis-auto" title={events.join(", ")}>
        <Named name="Events">
          <code className="font-mono text-xs">{events[0]}</code>
          {events.length > 1 && (
            <span className="text-muted @4xl:block"> and {events.length - 1} more</span>
          )}
        </Named>
      </td>
      <td className="tabular-nums">
        <Named name="Success">
          {formatRate(last_24h.success_rate)}{" "}
          <span className="text-muted">/ {formatRate(last_7d.success_rate)}</span>
        </Named>
      </td>
      <td className="tabular-nums">
        <Named name="Response time">
          {formatDuration(last_24h.p50_ms)}{" "}
          <span className="text-muted">/ {formatDuration(last_24h.p95_ms)}</span>
        </Named>
      </td>
      <td className="tabular-nums @max-4xl:basis-full compact:basis-auto">
        <Named name="Last sent">
          {lastSent ? (
            <RelativeTime iso={lastSent} asOf={asOf} />
          ) : (
            <span className="text-muted">Never</span>
          )}
        </Named>
      </td>
    </CardRow>
  );
}
