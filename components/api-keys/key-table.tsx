"use client";

import { RowLink } from "#components/kit/row-link.tsx";
import { CardRow, CardTable, Named } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { Person } from "#components/people/person.tsx";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { Expiry } from "./expiry.tsx";
import { maskedId } from "./labels.ts";
import { LastUsed } from "./last-used.tsx";
import { ScopeSummary } from "./scope-list.tsx";
import { Sparkline } from "./sparkline.tsx";
import { StatusBadge } from "./status-badge.tsx";

/** The columns of the wide table; on narrow screens rows are cards. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[minmax(10rem,1fr)_6.5rem_12.5rem_8rem_9rem_11.5rem] " +
  "@6xl:grid-cols-[minmax(10rem,1fr)_6.5rem_13rem_8rem_9.5rem_11.5rem_6rem] @4xl:gap-x-3";

type Props = {
  items: ApiKey[];
  asOf: string;
  stale: boolean;
  linkTo: (to: { key: string }) => PageLink;
};

export function KeyTable({ items, asOf, stale, linkTo }: Props) {
  return (
    <CardTable
      caption="API keys"
      grid={COLUMNS}
      columns={[
        "Key",
        "Status",
        "Scopes",
        "Calls in 7 days",
        "Last used",
        "Expires",
        ["Created by", "@max-6xl:hidden"],
      ]}
      stale={stale}
    >
      {items.map((item) => (
        <Row key={item.id} apiKey={item} asOf={asOf} to={linkTo({ key: item.id })} />
      ))}
    </CardTable>
  );
}

function Row({ apiKey, asOf, to }: { apiKey: ApiKey; asOf: string; to: PageLink }) {
  const isRevoked = apiKey.status === "revoked";
  return (
    <CardRow grid={COLUMNS} className="gap-y-1.5 py-3 @4xl:min-h-14 @4xl:py-2">
      <td className="min-w-0 @max-4xl:flex-1 compact:flex compact:basis-3/5 compact:items-baseline compact:gap-x-3">
        <RowLink to={to}>{apiKey.name}</RowLink>
        <code className="font-mono text-xs whitespace-nowrap text-muted" title={apiKey.key_id}>
          {maskedId(apiKey.key_id)}
        </code>
      </td>
      <td className="@max-4xl:ml-auto">
        <StatusBadge status={apiKey.status} />
      </td>
      <td className="min-w-0 @max-4xl:basis-full compact:order-1 compact:basis-auto">
        <ScopeSummary scopes={apiKey.scopes} />
      </td>
      <td>
        <Sparkline calls={apiKey.calls_by_day} />
      </td>
      <td className="tabular-nums compact:order-1">
        <Named name="Last used">
          <LastUsed apiKey={apiKey} asOf={asOf} />
        </Named>
      </td>
      <td className="tabular-nums @max-4xl:basis-full compact:order-1 compact:basis-auto">
        <Named name={isRevoked ? "Revoked" : "Expires"} always={isRevoked}>
          <Expiry apiKey={apiKey} asOf={asOf} />
        </Named>
      </td>
      <td className="flex min-w-0 @max-6xl:hidden">
        <Person reference={apiKey.created_by} />
      </td>
    </CardRow>
  );
}
