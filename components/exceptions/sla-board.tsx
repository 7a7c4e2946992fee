"use client";

import { ChartColumn, SearchX } from "lucide-react";
import dynamic from "next/dynamic";
import { useCallback, useMemo, useState } from "react";
import { Freshness } from "#components/kit/freshness.tsx";
import { useMember } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { BoardEmpty } from "./board-empty.tsx";
import { BoardFilters } from "./board-filters.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { BoardSkeleton } from "./board-skeleton.tsx";
import { ExceptionPanel } from "./exception-panel.tsx";
import { ExceptionTable } from "./exception-table.tsx";
import { boardPages } from "./queries.ts";
import { RiskTiles } from "./risk-tiles.tsx";
import { boardSearch } from "./search.ts";
import { usePauseByKey } from "./use-pause-by-key.ts";
import { useSelection } from "./use-selection.ts";

/** Loaded with the first selected row; stays to report the last change. */
const SelectionBar = dynamic(() => import("./bulk/selection-bar.tsx").then((part) => part.SelectionBar), {
  // Its own boundary: otherwise the whole page would suspend while it loads.
  loading: () => null,
});

const PauseExceptionDialog = dynamic(() => import("./pause-exception-dialog.tsx").then((part) => part.PauseExceptionDialog), {
  loading: () => null,
});

const RiskCharts = dynamic(() => import("./risk-charts.tsx").then((charts) => charts.RiskCharts), {
  loading: () => <Skeleton className="h-72 w-full" />,
});

/** `origin`: the service's own, for examples. */
export function SlaBoard({ origin }: { origin: string }) {
  const { tenant, self } = useMember();
  const { search, set, linkTo, isFiltered, clear } = useSearch(boardSearch, ["breach_risk", "severity", "assigned_to", "status", "q"]);
  const list = useList(boardPages(tenant.id, search));
  const { items, newest, pages } = list;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const onEndNear = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  const selection = useSelection(items);
  const [selects, setSelects] = useState(false);
  if (!selects && selection.marked.size > 0) setSelects(true);
  const pausing = usePauseByKey();
  const people = useMemo(() => peopleOf(self, items, search.assigned_to), [self, items, search.assigned_to]);

  return (
    <Page
      title="Exceptions"
      actions={
        newest && (
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Freshness asOf={newest.as_of} failing={pages.error !== null} />
            <Button
              size="sm"
              variant={search.charts ? "selected" : "secondary"}
              aria-pressed={search.charts}
              onClick={() => set({ charts: !search.charts })}
            >
              <ChartColumn aria-hidden className="size-4" />
              Charts
            </Button>
            <BoardMenu asOf={newest.as_of} search={search} />
          </div>
        )
      }
    >
      {list.failure ? (
        <ProblemNotice error={list.failure} onRetry={() => pages.refetch()} />
      ) : !newest ? (
        <BoardSkeleton />
      ) : (
        <>
          <RiskTiles summary={newest.summary} selected={search.breach_risk} onSelect={(breach_risk) => set({ breach_risk })} />
          {search.charts && (
            <div className="pt-4">
              <RiskCharts asOf={newest.as_of} />
            </div>
          )}
          {newest.summary.total_open === 0 ? (
            <BoardEmpty origin={origin} />
          ) : (
            <>
              <div className="py-4">
                <BoardFilters search={search} onChange={set} onClear={isFiltered && clear} people={people} />
              </div>
              {items.length === 0 ? (
                <Notice icon={SearchX} title="No matching exceptions" action={<Button onClick={clear}>Clear filters</Button>}>
                  Try different filters.
                </Notice>
              ) : (
                <ExceptionTable
                  items={items}
                  asOf={newest.as_of}
                  sortBy={search.sortBy}
                  onSort={(sortBy) => set({ sortBy })}
                  total={hasNextPage ? null : items.length}
                  stale={list.isStale}
                  linkTo={linkTo}
                  selected={selection.marked}
                  onToggle={selection.toggle}
                  onPause={pausing.toggle}
                  onToggleAll={(all) => (all ? selection.markAll() : selection.clear())}
                  onEndNear={onEndNear}
                />
              )}
              {selects && (
                <SelectionBar
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
        </>
      )}
      {pausing.item && <PauseExceptionDialog id={pausing.item.id} onClose={pausing.close} />}
      <ExceptionPanel id={search.exception} onClose={() => set({ exception: null })} />
    </Page>
  );
}

/** Sorts the reader first. */
function peopleOf(self: string, items: SlaItem[], selected: string | null): string[] {
  const others = [...items.map((item) => item.assigned_to), selected].filter((reference) => reference !== null);
  return [...new Set([self, ...others.sort()])];
}
