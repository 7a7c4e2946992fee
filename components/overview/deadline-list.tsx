"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { Person } from "#components/people/person.tsx";
import { formatLate, formatRemaining } from "#components/ui/format-duration.ts";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import type { Overview } from "#lib/overview/contract.ts";
import { oneException } from "./links.ts";

type Item = Overview["next"][number];

/**
 * Exceptions by deadline, each with the time left. `own`: all are the user's, so no assignee is
 * shown.
 */
export function DeadlineList({
  label,
  items,
  asOf,
  own = false,
}: {
  label: string;
  items: readonly Item[];
  asOf: string;
  own?: boolean;
}) {
  const tenant = useTenantId();
  return (
    <ol aria-label={label} className="-my-1 divide-y divide-line">
      {items.map((item) => (
        <li
          key={item.id}
          data-risk={item.breach_risk}
          className="relative flex items-baseline gap-3 py-2 pl-3"
        >
          <span aria-hidden className="absolute inset-y-1.5 left-0 w-1 rounded-sm bg-risk-rail" />
          <span className="min-w-0 flex-1">
            <PrefetchLink
              href={oneException(tenant, item.id)}
              className="block truncate font-medium underline-offset-2 hover:underline"
            >
              {item.title}
            </PrefetchLink>
            <span className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
              {!own && <Person reference={item.assigned_to} />}
              {item.amount_minor !== null && item.currency !== null && (
                <span className="tabular-nums">
                  {formatMoney(item.amount_minor, item.currency)}
                </span>
              )}
            </span>
          </span>
          <span className="shrink-0 text-sm font-medium text-risk-text tabular-nums">
            {item.paused_at ? "Paused" : <Left iso={item.due_at} asOf={asOf} />}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Left({ iso, asOf }: { iso: string; asOf: string }) {
  const text = useServerTime(
    (now) => (Date.parse(iso) > now ? `in ${formatRemaining(iso, now)}` : formatLate(iso, now)),
    asOf,
  );
  return <time dateTime={iso}>{text}</time>;
}
