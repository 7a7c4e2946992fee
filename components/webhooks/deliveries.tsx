"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { Freshness } from "#components/kit/freshness.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useList } from "#components/kit/use-list.ts";
import type { useSearch } from "#components/kit/use-search.ts";
import { Notice } from "#components/ui/notice.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { DeliveryFilters } from "./delivery-filters.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { NoMatchingDeliveries } from "./no-matching-deliveries.tsx";
import { deliveryPages, webhookById } from "./queries.ts";
import type { deliverySearch } from "./search.ts";
import { TestButton } from "./webhook-actions.tsx";

const DeliveryPanel = dynamic(() =>
  import("./delivery-panel.tsx").then((part) => part.DeliveryPanel),
);

type Props = {
  webhook: Webhook;
  searching: ReturnType<typeof useSearch<typeof deliverySearch>>;
  onTested: (deliveryId: string) => void;
};

/** A webhook's deliveries, newest first, and the panel of the one in the URL. */
export function Deliveries({
  webhook,
  searching: { search, set, linkTo, isFiltered, clear },
  onTested,
}: Props) {
  const tenantId = useTenantId();
  const list = useList(deliveryPages(tenantId, webhook.id, search));
  const { items, newest } = list;
  // Stays mounted once opened, so that it can slide away.
  const [wasOpened, setWasOpened] = useState(false);
  if (search.delivery !== null && !wasOpened) setWasOpened(true);

  // A finished attempt changes the webhook's figures too.
  const cache = useQueryClient();
  const ended = items.reduce(
    (sum, { attempt_count, last_attempt }) =>
      sum + attempt_count - Number(last_attempt?.status === "in_flight"),
    0,
  );
  const known = useRef(ended);
  useEffect(() => {
    if (known.current !== ended)
      cache.invalidateQueries({
        queryKey: webhookById(tenantId, webhook.id).queryKey,
        exact: true,
      });
    known.current = ended;
  }, [cache, tenantId, webhook.id, ended]);

  return (
    <section aria-labelledby="deliveries" className="flex flex-col gap-3 border-t border-line pt-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="deliveries" className="text-lg font-semibold tracking-tight">
          Deliveries
        </h2>
        {newest && <Freshness asOf={newest.as_of} failing={list.pages.error !== null} />}
      </div>
      <div>
        {(items.length > 0 || isFiltered) && (
          <DeliveryFilters search={search} onChange={set} onClear={isFiltered && clear} />
        )}
        <ListBody
          list={list}
          skeleton={<PartSkeleton label="Loading the deliveries" bars={["h-64 w-full"]} />}
          bare={
            isFiltered ? (
              <NoMatchingDeliveries onClear={clear} />
            ) : (
              <Notice
                icon={Inbox}
                title="No deliveries yet"
                action={
                  webhook.status === "active" && (
                    <TestButton webhookId={webhook.id} onTested={onTested} />
                  )
                }
              >
                Deliveries appear here as soon as events are sent. Send a test event to try it now.
              </Notice>
            )
          }
        >
          {({ as_of }) => (
            <DeliveryTable
              items={items}
              asOf={as_of}
              stale={list.isStale}
              linkTo={({ id }) => linkTo({ delivery: id })}
            />
          )}
        </ListBody>
      </div>
      {wasOpened && (
        <DeliveryPanel
          webhook={webhook}
          id={search.delivery}
          onClose={() => set({ delivery: null })}
        />
      )}
    </section>
  );
}
