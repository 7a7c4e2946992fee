"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Inbox, SearchX } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useMemo, useRef, useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { Freshness } from "#components/ui/freshness.tsx";
import { LoadMore } from "#components/ui/load-more.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { startServerClock } from "#components/ui/server-clock.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { DeliveryFilters } from "./delivery-filters.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { deliveryPagesQuery, webhookQuery } from "./queries.ts";
import { type DeliverySearch, NO_FILTER, serializeDeliverySearch } from "./search.ts";
import { TestButton } from "./webhook-actions.tsx";

const DeliveryPanel = dynamic(() => import("./delivery-panel.tsx").then((part) => part.DeliveryPanel));

type Props = {
  tenantId: string;
  webhook: Webhook;
  search: DeliverySearch;
  onSearch: (change: Partial<DeliverySearch>, options?: { history: "push" }) => void;
  onTested: (deliveryId: string) => void;
};

/** What was sent to a webhook, newest first, and the delivery that the address names beside it. */
export function Deliveries({ tenantId, webhook, search, onSearch, onTested }: Props) {
  const pages = useInfiniteQuery(deliveryPagesQuery(tenantId, webhook.id, search));
  const { data, error, hasNextPage } = pages;
  const newest = data?.pages.at(0);
  const items = useMemo(() => withoutTwins(data?.pages.flatMap((page) => page.items) ?? []), [data]);
  const isFiltered = search.status !== null || search.type !== null || search.event_id !== null;
  // Once opened it stays, so that it can slide away.
  const [wasOpened, setWasOpened] = useState(false);
  if (search.delivery !== null && !wasOpened) setWasOpened(true);

  useEffect(() => {
    if (newest) startServerClock(newest.as_of);
  }, [newest]);

  // An attempt that ended changes the webhook's figures too.
  const cache = useQueryClient();
  const ended = items.reduce(
    (sum, { attempt_count, last_attempt }) => sum + attempt_count - Number(last_attempt?.status === "in_flight"),
    0,
  );
  const known = useRef(ended);
  useEffect(() => {
    if (known.current !== ended) cache.invalidateQueries({ queryKey: webhookQuery(tenantId, webhook.id).queryKey, exact: true });
    known.current = ended;
  }, [cache, tenantId, webhook.id, ended]);

  return (
    <section aria-labelledby="deliveries" className="flex flex-col gap-3 border-t border-line pt-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="deliveries" className="text-lg font-semibold tracking-tight">
          Deliveries
        </h2>
        {newest && <Freshness asOf={newest.as_of} failing={error !== null} />}
      </div>
      {!newest || (error && isRefusal(error)) ? (
        error ? (
          <ProblemNotice error={error} onRetry={() => pages.refetch()} />
        ) : (
          <div role="status" aria-label="Loading the deliveries">
            <Skeleton className="h-64 w-full" />
          </div>
        )
      ) : (
        <>
          {(items.length > 0 || isFiltered) && <DeliveryFilters search={search} onChange={onSearch} />}
          {items.length > 0 ? (
            <DeliveryTable
              items={items}
              asOf={newest.as_of}
              stale={pages.isPlaceholderData}
              hrefOf={(delivery) => serializeDeliverySearch({ ...search, delivery })}
              onOpen={(delivery) => onSearch({ delivery }, { history: "push" })}
            />
          ) : isFiltered ? (
            <Notice icon={SearchX} title="No delivery matches" action={<Button onClick={() => onSearch(NO_FILTER)}>Clear filters</Button>}>
              There may be others of the last 30 days, but none with these filters.
            </Notice>
          ) : (
            <Notice
              icon={Inbox}
              title="Nothing was sent yet"
              action={webhook.status === "active" && <TestButton tenantId={tenantId} webhookId={webhook.id} onTested={onTested} />}
            >
              A delivery appears here the moment an event is sent. A test event tries the way now.
            </Notice>
          )}
          {hasNextPage && <LoadMore shown={items.length} pages={pages} />}
        </>
      )}
      {wasOpened && (
        <DeliveryPanel tenantId={tenantId} webhook={webhook} id={search.delivery} onClose={() => onSearch({ delivery: null })} />
      )}
    </section>
  );
}

/** The pages are asked for one after another; a delivery can be on two of them. */
function withoutTwins(items: Delivery[]): Delivery[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
