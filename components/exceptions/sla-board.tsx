"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ChartColumn } from "lucide-react";
import dynamic from "next/dynamic";
import { useQueryStates } from "nuqs";
import { useCallback, useEffect, useMemo, useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { Button } from "#components/ui/button.tsx";
import { Freshness } from "#components/ui/freshness.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { startServerClock } from "#components/ui/server-clock.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { BoardEmpty, BoardNoMatch } from "./board-empty.tsx";
import { BoardFilters } from "./board-filters.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { BoardSkeleton } from "./board-skeleton.tsx";
import { ExceptionPanel } from "./exception-panel.tsx";
import { ExceptionTable } from "./exception-table.tsx";
import { slaPagesQuery } from "./queries.ts";
import { RiskTiles } from "./risk-tiles.tsx";
import { boardSearch, NO_FILTERS, serializeBoardSearch } from "./search.ts";
import { useSelection } from "./use-selection.ts";

/** It is fetched with the first row that is chosen, and stays to tell what came of the last. */
const SelectionBar = dynamic(() => import("./bulk/selection-bar.tsx").then((part) => part.SelectionBar), {
  // Without a boundary of its own, the whole page would stand aside until it is there.
  loading: () => null,
});

const RiskCharts = dynamic(() => import("./risk-charts.tsx").then((charts) => charts.RiskCharts), {
  loading: () => <Skeleton className="h-72 w-full" />,
});

/** `self`: the reader as an assignee. */
export function SlaBoard({ tenant, self, origin }: { tenant: Tenant; self: string; origin: string }) {
  const [search, setSearch] = useQueryStates(boardSearch);
  const pages = useInfiniteQuery(slaPagesQuery(tenant.id, search));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const newest = data?.pages.at(0);

  useEffect(() => {
    if (newest) startServerClock(newest.as_of);
  }, [newest]);

  const hrefOf = useCallback((exception: string) => serializeBoardSearch({ ...search, exception }), [search]);
  const onOpen = useCallback((exception: string) => void setSearch({ exception }, { history: "push" }), [setSearch]);
  const onEndNear = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  const items = useMemo(() => withoutTwins(data?.pages.flatMap((page) => page.items) ?? []), [data]);
  const selection = useSelection(items);
  const [selects, setSelects] = useState(false);
  if (!selects && selection.marked.size > 0) setSelects(true);
  const people = useMemo(() => peopleOf(self, items, search.assigned_to), [self, items, search.assigned_to]);

  const header = (
    <PageHeader tenantName={tenant.name} title="Exceptions">
      {newest && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Freshness asOf={newest.as_of} failing={error !== null} />
          <Button
            size="sm"
            variant={search.charts ? "selected" : "secondary"}
            aria-pressed={search.charts}
            onClick={() => setSearch({ charts: !search.charts })}
          >
            <ChartColumn aria-hidden className="size-4" />
            Charts
          </Button>
          <BoardMenu tenantId={tenant.id} asOf={newest.as_of} search={search} />
        </div>
      )}
    </PageHeader>
  );

  if (!data || !newest || (error && isRefusal(error))) {
    return (
      <>
        {header}
        {error ? <ProblemNotice error={error} onRetry={() => pages.refetch()} /> : <BoardSkeleton />}
      </>
    );
  }

  return (
    <>
      {header}
      <div className="@container px-4 pb-10 sm:px-6">
        <RiskTiles summary={newest.summary} selected={search.breach_risk} onSelect={(breach_risk) => setSearch({ breach_risk })} />
        {search.charts && (
          <div className="pt-4">
            <RiskCharts tenantId={tenant.id} asOf={newest.as_of} />
          </div>
        )}
        {newest.summary.total_open === 0 ? (
          <BoardEmpty origin={origin} tenantId={tenant.id} />
        ) : (
          <>
            <div className="py-4">
              <BoardFilters search={search} onChange={setSearch} people={people} self={self} />
            </div>
            {items.length === 0 ? (
              <BoardNoMatch onClear={() => setSearch(NO_FILTERS)} />
            ) : (
              <ExceptionTable
                items={items}
                asOf={newest.as_of}
                sortBy={search.sortBy}
                onSort={(sortBy) => setSearch({ sortBy })}
                total={hasNextPage ? null : items.length}
                stale={pages.isPlaceholderData}
                hrefOf={hrefOf}
                onOpen={onOpen}
                selected={selection.marked}
                onToggle={selection.toggle}
                onToggleAll={(all) => (all ? selection.markAll() : selection.clear())}
                onEndNear={onEndNear}
              />
            )}
            {selects && (
              <SelectionBar
                tenantId={tenant.id}
                self={self}
                chosen={selection.chosen}
                loaded={items.length}
                onMark={selection.mark}
                onMarkAll={selection.markAll}
                onClear={selection.clear}
              />
            )}
            <p role="status" className="py-4 text-center text-sm text-muted empty:hidden">
              {hasNextPage ? "Loading more…" : items.length > 0 && `All ${items.length.toLocaleString("en")} shown`}
            </p>
          </>
        )}
      </div>
      <ExceptionPanel tenantId={tenant.id} id={search.exception} self={self} onClose={() => setSearch({ exception: null })} />
    </>
  );
}

/** The pages are asked for one after another; an exception that moved in between can be on two of them. */
function withoutTwins(items: SlaItem[]): SlaItem[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** The reader first. */
function peopleOf(self: string, items: SlaItem[], selected: string | null): string[] {
  const others = [...items.map((item) => item.assigned_to), selected].filter((reference) => reference !== null);
  return [...new Set([self, ...others.sort()])];
}
