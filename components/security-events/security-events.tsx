"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { usePreferences } from "#components/shell/preferences-provider.tsx";
import { LoadMore } from "#components/ui/load-more.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { ChainStatus } from "./chain-status.tsx";
import { EventFilters } from "./event-filters.tsx";
import { EventPanel } from "./event-panel.tsx";
import { EventTable } from "./event-table.tsx";
import { EventsEmpty, EventsNoMatch } from "./events-empty.tsx";
import { EventsSkeleton } from "./events-skeleton.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { eventPagesQuery } from "./queries.ts";
import { eventQuery, eventSearch, NO_FILTERS, serializeEventSearch } from "./search.ts";

/** `now`: the server's, when the page was asked for. */
export function SecurityEvents({ tenant, now }: { tenant: Tenant; now: number }) {
  const [search, setSearch] = useQueryStates(eventSearch);
  const { timeZone } = usePreferences();
  const [openedAt] = useState(now);
  const query = eventQuery(search, timeZone, openedAt);
  const pages = useInfiniteQuery(eventPagesQuery(tenant.id, query));
  const { data, error } = pages;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const open = (event: string) => setSearch({ event }, { history: "push" });

  const header = (
    <PageHeader tenantName={tenant.name} title="Security events">
      {data && <ExportMenu tenantId={tenant.id} query={query} />}
    </PageHeader>
  );
  if (!data || (error && isRefusal(error))) {
    return (
      <>
        {header}
        {error ? <ProblemNotice error={error} onRetry={() => pages.refetch()} /> : <EventsSkeleton />}
      </>
    );
  }
  return (
    <>
      {header}
      <div className="@container px-4 pb-10 sm:px-6">
        <ChainStatus tenantId={tenant.id} onOpen={open} />
        <div className="pb-4">
          <EventFilters search={search} onChange={setSearch} />
        </div>
        {items.length > 0 ? (
          <>
            <EventTable
              tenantId={tenant.id}
              items={items}
              stale={pages.isPlaceholderData}
              hrefOf={(event) => serializeEventSearch({ ...search, event })}
              onOpen={open}
            />
            <LoadMore shown={items.length} pages={pages} />
          </>
        ) : Object.keys(query).length === 0 ? (
          <EventsEmpty tenantId={tenant.id} />
        ) : (
          <EventsNoMatch onClear={() => setSearch({ ...NO_FILTERS, period: "all", from: null, to: null })} />
        )}
      </div>
      <EventPanel
        tenantId={tenant.id}
        id={search.event}
        onClose={() => setSearch({ event: null })}
        onFilter={(filter) =>
          setSearch({ ...NO_FILTERS, ...filter, period: "all", from: null, to: null, event: null }, { history: "push" })
        }
      />
    </>
  );
}
