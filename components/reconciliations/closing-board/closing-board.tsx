"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { CalendarPlus, ChevronLeft, ChevronRight, Scale, SearchX } from "lucide-react";
import { isRefusal } from "#components/api-client.ts";
import { FilterBar, FilterMenu } from "#components/kit/filters.tsx";
import { LoadMore } from "#components/kit/load-more.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { useSearch } from "#components/kit/use-search.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { monthAfter } from "#components/ui/days.ts";
import { Notice } from "#components/ui/notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { openNextPeriodsContract, PERIOD_STATES } from "#lib/matching/closing-board/contract.ts";
import { longMonth } from "#lib/wire/period-name.ts";
import { BoardSkeleton } from "./board-skeleton.tsx";
import { BoardTable } from "./board-table.tsx";
import { filterPairs } from "./filter-pairs.ts";
import { NextDialog } from "./next-dialog.tsx";
import { boardPages, monthsUpTo } from "./queries.ts";
import { boardSearch } from "./search.ts";
import { STATE_LABELS } from "./state.tsx";

/**
 * All pairs and their months. `thisMonth`: the server's current month, by default the last one
 * shown.
 */
export function ClosingBoard({ thisMonth }: { thisMonth: string }) {
  const tenant = useTenantId();
  const mayOpen = useIsAllowed(openNextPeriodsContract.access);
  const { search, set, linkTo, isFiltered, clear } = useSearch(boardSearch, ["state", "overdue"]);
  const to = search.to ?? thisMonth;
  const pages = useInfiniteQuery(boardPages(tenant, to));
  const { data, error, isPlaceholderData: stale } = pages;
  const pairs = data?.pages.flatMap(({ items }) => items) ?? [];
  const visible = filterPairs(pairs, search);
  const isEmpty = data !== undefined && pairs.length === 0;
  const move = (months: number) => set({ to: monthAfter(to, months) });
  return (
    <Page
      title="Month"
      actions={
        !mayOpen ? (
          <ReadOnly />
        ) : (
          !isEmpty && (
            <Button variant="primary" onClick={linkTo({ next: true }).follow}>
              <CalendarPlus aria-hidden className="size-4" />
              Open next period
            </Button>
          )
        )
      }
    >
      {!isEmpty && (
        <FilterBar onClear={isFiltered && clear}>
          <div className="flex items-center gap-1">
            <Button size="icon" aria-label="Earlier months" onClick={() => move(-1)}>
              <ChevronLeft aria-hidden className="size-4" />
            </Button>
            <span className="px-1 text-sm" aria-live="polite">
              Up to {longMonth(to)} {to.slice(0, 4)}
            </span>
            <Button size="icon" aria-label="Later months" onClick={() => move(1)}>
              <ChevronRight aria-hidden className="size-4" />
            </Button>
          </div>
          <FilterMenu
            name="State"
            value={search.state}
            options={PERIOD_STATES.map((state) => [state, STATE_LABELS[state]] as const)}
            onChange={(state) => set({ state })}
          />
          <Button
            size="sm"
            variant={search.overdue ? "selected" : "secondary"}
            aria-pressed={search.overdue === true}
            onClick={() => set({ overdue: search.overdue ? null : true })}
          >
            Overdue
          </Button>
        </FilterBar>
      )}
      {error && (!data || isRefusal(error)) ? (
        <ProblemNotice error={error} onRetry={() => pages.refetch()} />
      ) : !data ? (
        <BoardSkeleton />
      ) : isEmpty ? (
        <Notice
          icon={Scale}
          title="No pairs of sources yet"
          action={
            <PrefetchLink href={`/${tenant}/reconciliations`} className={buttonClass()}>
              Reconciliations
            </PrefetchLink>
          }
        >
          Create a reconciliation of two sources. From then on its months appear here.
        </Notice>
      ) : visible.length === 0 ? (
        <Notice
          icon={SearchX}
          title="No matching periods"
          action={<Button onClick={clear}>Clear filters</Button>}
        >
          Try another state or other months.
        </Notice>
      ) : (
        <>
          <BoardTable pairs={visible} months={monthsUpTo(to)} stale={stale} />
          <LoadMore count={visible.length} pages={pages} />
        </>
      )}
      {search.next && mayOpen && data && (
        <NextDialog month={thisMonth} pairs={pairs} onClose={() => set({ next: null })} />
      )}
    </Page>
  );
}
