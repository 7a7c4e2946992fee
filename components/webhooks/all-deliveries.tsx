"use client";

import { useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { FilterBar, FilterMenu } from "#components/kit/filters.tsx";
import { Freshness } from "#components/kit/freshness.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { DELIVERY_STATUSES } from "#lib/webhooks/deliveries/contract.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { AttemptsChart } from "./attempts-chart.tsx";
import type { OfWebhook } from "./delivery-details.tsx";
import { CreatedChip, EventId } from "./delivery-filters.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { DELIVERY_STATES, formatUrl } from "./labels.ts";
import { NoMatchingDeliveries } from "./no-matching-deliveries.tsx";
import {
  allDeliveryPages,
  deliveryStatsOf,
  webhookById,
  webhookPages,
  webhookStatsOf,
} from "./queries.ts";
import { ALL_DELIVERY_FILTERS, type AllDeliverySearch, allDeliverySearch } from "./search.ts";

/** The deliveries of every webhook, newest first, and the panel of the one in the URL. */
export function AllDeliveries() {
  const tenantId = useTenantId();
  const { search, set, linkTo, isFiltered, clear } = useSearch(
    allDeliverySearch,
    ALL_DELIVERY_FILTERS,
  );
  const list = useList(allDeliveryPages(tenantId, search));
  const webhooks = useList(webhookPages(tenantId, { status: null })).items;
  // A webhook from a link may be on none of the loaded pages.
  const { data: chosen } = useQuery({
    ...webhookById(tenantId, search.webhook_id ?? ""),
    enabled: search.webhook_id !== null,
  });
  const ofAll = useQuery({ ...deliveryStatsOf(tenantId), enabled: search.webhook_id === null });
  const ofOne = useQuery({
    ...webhookStatsOf(tenantId, search.webhook_id ?? ""),
    enabled: search.webhook_id !== null,
  });
  const urls = new Map(
    [...webhooks, ...(chosen ? [chosen] : [])].map(({ id, url }) => [id, formatUrl(url)]),
  );
  return (
    <>
      <div className="pb-5 empty:hidden">
        <AttemptsChart
          stats={search.webhook_id === null ? ofAll : ofOne}
          onChoose={(since, until) => linkTo({ since, until }).follow()}
        />
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <FilterBar onClear={isFiltered && clear}>
          <FilterMenu
            name="State"
            value={search.state}
            options={DELIVERY_STATUSES.map(
              (value) => [value, DELIVERY_STATES[value].label] as const,
            )}
            onChange={(state) => set({ state })}
          />
          <FilterMenu
            name="Event"
            value={search.type}
            options={EVENT_KINDS.map((value) => [value, value] as const)}
            onChange={(type) => set({ type })}
          />
          <FilterMenu
            name="Webhook"
            value={search.webhook_id}
            options={[...urls]}
            onChange={(webhook_id) => set({ webhook_id })}
          />
          <CreatedChip
            since={search.since}
            until={search.until}
            onRemove={() => set({ since: null, until: null })}
          />
          <EventId
            key={search.event_id}
            value={search.event_id}
            onChange={(event_id) => set({ event_id })}
          />
        </FilterBar>
        {list.newest && <Freshness asOf={list.newest.as_of} failing={list.pages.error !== null} />}
      </div>
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
                <Link
                  href={`/${tenantId}/webhooks`}
                  className={buttonClass({ variant: "primary" })}
                >
                  Go to webhooks
                </Link>
              }
            >
              Each event sent to a webhook appears here with its receiver's response.
            </Notice>
          )
        }
      >
        {({ as_of }) => (
          <DeliveryTable
            items={list.items}
            asOf={as_of}
            stale={list.isStale}
            linkTo={({ id, webhook_id }) => linkTo({ delivery: id, webhook: webhook_id })}
            urlOf={(id) => urls.get(id)}
          />
        )}
      </ListBody>
      <OpenDelivery
        search={search}
        listed={webhooks}
        onClose={() => set({ delivery: null, webhook: null })}
      />
    </>
  );
}

type OpenProps = { search: AllDeliverySearch; listed: readonly Webhook[]; onClose: () => void };

function OpenDelivery({ search: { delivery, webhook }, listed, onClose }: OpenProps) {
  // The content stays while the panel slides away.
  const [last, setLast] = useState(webhook ?? "");
  if (webhook !== null && webhook !== last) setLast(webhook);
  const { data } = useQuery({ ...webhookById(useTenantId(), last), enabled: webhook !== null });
  const known: OfWebhook = data ??
    listed.find(({ id }) => id === last) ?? { id: last, status: "active" };
  // The panel's ID is that of the row that opens it (kit/use-search.ts).
  return (
    <DeliveryPanel
      webhook={known}
      id={delivery && webhook ? `${delivery},${webhook}` : null}
      onClose={onClose}
    />
  );
}
