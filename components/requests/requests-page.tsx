"use client";

import { Activity, SearchX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Charts } from "./charts.tsx";
import { LiveButton } from "./live-button.tsx";
import { requestPages } from "./queries.ts";
import { RequestFilters } from "./request-filters.tsx";
import { RequestPanel } from "./request-panel.tsx";
import { RequestSkeleton } from "./request-skeleton.tsx";
import { RequestTable } from "./request-table.tsx";
import { REQUEST_FILTERS, type RequestSearch, requestQuery, requestSearch } from "./search.ts";

export const TITLE = "Requests & deliveries";

const VIEWS = [
  { value: "requests", label: "Requests" },
  { value: "deliveries", label: "Deliveries" },
] as const;

/**
 * The calls and deliveries. `now`: the server's time when the page was requested. `deliveries`: the
 * other list.
 */
export function RequestsPage({ now, deliveries }: { now: number; deliveries: ReactNode }) {
  const searching = useSearch(requestSearch, REQUEST_FILTERS);
  const { search, set } = searching;
  return (
    <Page
      title={TITLE}
      actions={
        <div className="flex flex-wrap items-center gap-2">
          {search.view === "requests" && (
            <LiveButton live={search.live} onChange={(live) => set({ live })} />
          )}
          <Segmented
            label="Show"
            value={search.view}
            options={VIEWS}
            onChange={(view) => set({ view })}
          />
        </div>
      }
    >
      {search.view === "requests" ? <Requests now={now} searching={searching} /> : deliveries}
    </Page>
  );
}

type Searching = ReturnType<typeof useSearch<typeof requestSearch>>;

function Requests({
  now,
  searching: { search, set, linkTo, isFiltered, clear },
}: {
  now: number;
  searching: Searching;
}) {
  const tenantId = useTenantId();
  const [openedAt] = useState(now);
  /** The first row at the time when the pointer entered the rows. */
  const [pointedFrom, setPointedFrom] = useState<string | null>(null);
  const isPaused = search.live && pointedFrom !== null;
  const query = requestQuery(search, openedAt);
  const list = useList(requestPages(tenantId, query, search.live && !isPaused));
  // Rows from a pending read must not move the row under the pointer.
  const first = isPaused ? list.items.findIndex(({ id }) => id === pointedFrom) : 0;
  const items = first > 0 ? list.items.slice(first) : list.items;
  const follow = (filter: Partial<RequestSearch>) => linkTo({ ...NOTHING, ...filter }).follow();
  return (
    <>
      <Charts
        query={query}
        live={search.live}
        onChoose={(from, to) => linkTo({ from, to, live: false }).follow()}
      />
      <RequestFilters
        search={search}
        onChange={set}
        onFind={follow}
        onClear={isFiltered && clear}
      />
      <ListBody
        list={list}
        skeleton={<RequestSkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching requests"
              action={<Button onClick={clear}>Clear filters</Button>}
            >
              Try different filters or a longer period. Requests are kept for 14 days.
            </Notice>
          ) : (
            <Notice
              icon={Activity}
              title="No requests in this period"
              action={
                search.period !== "14d" && (
                  <Button onClick={() => set({ period: "14d" })}>Show the last 14 days</Button>
                )
              }
            >
              API calls appear here about a second after their response. What the dashboard reads
              isn't listed.
            </Notice>
          )
        }
      >
        {() => (
          <RequestTable
            items={items}
            stale={list.isStale}
            linkTo={linkTo}
            live={search.live && (isPaused ? "held" : "following")}
            onPointed={(over) => setPointedFrom(over ? (list.items[0]?.id ?? null) : null)}
          />
        )}
      </ListBody>
      <RequestPanel id={search.request} onClose={() => set({ request: null })} onFilter={follow} />
    </>
  );
}

const NOTHING = {
  ...Object.fromEntries(REQUEST_FILTERS.map((name) => [name, null])),
  request: null,
} as Partial<RequestSearch>;
