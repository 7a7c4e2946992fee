"use client";

import { ChartColumn, Plus, SearchX } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useMemo, useRef, useState } from "react";
import { Freshness } from "#components/kit/freshness.tsx";
import { useMember } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { NONE } from "#lib/exceptions/filters/contract.ts";
import { ExceptionPanel } from "../detail/exception-panel.tsx";
import { NewExceptionDialog } from "../new-exception-dialog.tsx";
import { PauseExceptionDialog } from "../pauses/pause-exception-dialog.tsx";
import { usePauseByKey } from "../pauses/use-pause-by-key.ts";
import { ViewBar } from "../views/view-bar.tsx";
import { BoardDisplay } from "./board-display.tsx";
import { BoardEmpty } from "./board-empty.tsx";
import { BoardFilters } from "./board-filters.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { BoardSkeleton } from "./board-skeleton.tsx";
import { ExceptionTable } from "./exception-table.tsx";
import { NewRows } from "./new-rows.tsx";
import { ReturnNote } from "./return-note.tsx";
import { RiskTiles } from "./risk-tiles.tsx";
import { boardSearch, FILTERS } from "./search.ts";
import { useBoard } from "./use-board.ts";
import { useReturn } from "./use-return.ts";
import { useSelection } from "./use-selection.ts";

/** Loaded with the first selected row; stays to report the last change. */
const SelectionBar = dynamic(
  () => import("../bulk/selection-bar.tsx").then((part) => part.SelectionBar),
  {
    // It has its own boundary; otherwise the whole page would suspend while it loads.
    loading: () => null,
  },
);

const RiskCharts = dynamic(() => import("./risk-charts.tsx").then((charts) => charts.RiskCharts), {
  loading: () => <Skeleton className="h-[41.75rem] w-full @4xl:h-82" />,
});

const STATES = [
  { value: "open", label: "Open" },
  { value: "closed", label: "Closed" },
  { value: "all", label: "All" },
] as const;

/** `origin` is the service's own, for examples. */
export function SlaBoard({ origin }: { origin: string }) {
  const { tenant } = useMember();
  const { search, set, linkTo, isFiltered, clear } = useSearch(boardSearch, FILTERS);
  const table = useRef<HTMLTableElement>(null);
  const board = useBoard(tenant.id, search, table);
  const { items, asOf, summary, isOpen } = board;
  const { hasNextPage } = board.pages;

  const returned = useReturn(tenant.id, isOpen ? asOf : null);
  const { open: markOpened } = returned;
  useEffect(() => {
    if (search.exception !== null) markOpened(search.exception);
  }, [search.exception, markOpened]);
  const marked = useMemo(
    () => new Set([...board.arrived, ...returned.unseen]),
    [board.arrived, returned.unseen],
  );
  const selection = useSelection(board.openItems);
  /** The new row that the user asked to see; a new object for each time. */
  const [ledTo, setLedTo] = useState<{ id: string } | null>(null);
  const [selects, setSelects] = useState(false);
  if (!selects && selection.marked.size > 0) setSelects(true);
  const pausing = usePauseByKey();
  const isBare = isOpen && summary?.total_open === 0;
  const states = (
    <Segmented
      label="Which exceptions"
      value={search.state}
      options={STATES}
      onChange={(state) => set({ state })}
    />
  );

  return (
    <Page
      title="Exceptions"
      actions={
        asOf && (
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <div className="max-sm:basis-full">
              <Freshness asOf={asOf} failing={board.failing} />
            </div>
            {isOpen && (
              <Button
                size="sm"
                variant={search.charts ? "selected" : "secondary"}
                aria-pressed={search.charts}
                onClick={() => set({ charts: !search.charts })}
              >
                <ChartColumn aria-hidden className="size-4" />
                <span className="max-sm:sr-only">Charts</span>
              </Button>
            )}
            <BoardDisplay />
            <BoardMenu asOf={asOf} search={search} />
            <Button size="sm" variant="primary" onClick={() => set({ new: true })}>
              <Plus aria-hidden className="size-4" />
              New exception
            </Button>
          </div>
        )
      }
    >
      {board.failure ? (
        <ProblemNotice error={board.failure} onRetry={() => board.pages.refetch()} />
      ) : !asOf ? (
        <BoardSkeleton />
      ) : (
        <>
          {isOpen && board.tiles && (
            <RiskTiles
              tiles={board.tiles}
              selected={search.breach_risk}
              onSelect={(breach_risk) => set({ breach_risk })}
            />
          )}
          {isOpen && search.charts && (
            <div className="pt-4">
              <RiskCharts asOf={asOf} />
            </div>
          )}
          {!isBare && <ViewBar search={search} onChange={set} />}
          <div className={isOpen ? "py-4 short:pt-0 short:pb-2" : "pb-4 short:pb-2"}>
            {isBare ? (
              states
            ) : (
              <BoardFilters search={search} onChange={set} onClear={isFiltered && clear}>
                {states}
              </BoardFilters>
            )}
          </div>
          {isBare ? (
            <BoardEmpty origin={origin} />
          ) : (
            <>
              {isOpen && returned.summary && (
                <ReturnNote
                  summary={returned.summary}
                  onBreached={() =>
                    set({ breach_risk: null, breached_from: returned.summary?.since ?? null })
                  }
                  onDismiss={returned.dismiss}
                />
              )}
              <NewRows
                waiting={board.waiting}
                arrived={board.arrived}
                onShow={board.show}
                onLead={(id) => setLedTo({ id })}
              />
              {items.length === 0 && !board.folded ? (
                <Notice
                  icon={SearchX}
                  title="No matching exceptions"
                  action={isFiltered && <Button onClick={clear}>Clear filters</Button>}
                >
                  {isFiltered ? "Try different filters." : "Nothing has been closed yet."}
                </Notice>
              ) : (
                <ExceptionTable
                  table={table}
                  items={items}
                  asOf={asOf}
                  state={search.state}
                  sortBy={search.sortBy}
                  onSort={(sortBy) => set({ sortBy })}
                  folded={board.folded}
                  onFold={() => set({ breached: board.folded === true })}
                  countOf={board.countOf}
                  isWhole={!hasNextPage}
                  stale={board.isStale}
                  linkTo={linkTo}
                  selected={selection.marked}
                  arrived={marked}
                  left={board.left}
                  ledTo={ledTo}
                  onToggle={isOpen ? selection.toggle : null}
                  onPause={selection.chosen.length > 0 ? null : pausing.toggle}
                  onToggleAll={(all) => (all ? selection.markAll() : selection.clear())}
                  onEndNear={board.loadMore}
                  onPointerLeave={board.release}
                />
              )}
              {selects && isOpen && (
                <SelectionBar
                  chosen={selection.chosen}
                  loaded={items.length}
                  matching={board.matching}
                  takesKeys={search.exception === null}
                  onMark={selection.mark}
                  onMarkAll={selection.markAll}
                  onClear={selection.clear}
                />
              )}
              <p role="status" className="pt-4 pb-16 text-center text-sm text-muted empty:hidden">
                {hasNextPage
                  ? "Loading more…"
                  : items.length > 0 && `All ${items.length.toLocaleString("en")} shown`}
              </p>
            </>
          )}
        </>
      )}
      {search.new && (
        <NewExceptionDialog
          reconciliation={onlyOne(search.reconciliation_id)}
          onClose={() => set({ new: null })}
        />
      )}
      {pausing.item && <PauseExceptionDialog id={pausing.item.id} onClose={pausing.close} />}
      <ExceptionPanel
        id={search.exception}
        selects={isOpen && selection.chosen.length > 0}
        onOpen={(exception) => set({ exception })}
        onClose={() => set({ exception: null })}
      />
    </Page>
  );
}

function onlyOne(ids: readonly string[] | null): string | undefined {
  return ids?.length === 1 && ids[0] !== NONE ? ids[0] : undefined;
}
