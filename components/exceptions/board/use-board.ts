"use client";

import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useList } from "#components/kit/use-list.ts";
import type { Exception, SlaItem } from "#lib/exceptions/contract.ts";
import type { Matching } from "../bulk/change-matching.ts";
import {
  boardPages,
  CAN_BE_SAVED,
  facetsOf,
  filtersOf,
  foldsBreached,
  pastPages,
} from "../queries.ts";
import { filtersToSave } from "../views/filters-of-view.ts";
import type { GroupName } from "./board-lines.ts";
import type { BoardSearch } from "./search.ts";
import { tilesOf } from "./tiles.ts";
import { useArrivals, useNotifications } from "./use-arrivals.ts";
import { useBoardPoll } from "./use-board-poll.ts";

/** Larger numbers are neither counted exactly nor changed at once. */
const COUNTED_MAX = 10_000;

const NO_ITEMS: readonly SlaItem[] = [];

/** The rows of the board: open exceptions, updated row by row, or past ones. */
export function useBoard(
  tenant: string,
  search: BoardSearch,
  table: RefObject<HTMLTableElement | null>,
) {
  const isOpen = search.state === "open";
  const filters = JSON.stringify(filtersOf(search));
  const [unfoldedFor, setUnfoldedFor] = useState<string | null>(null);
  const unfolded = unfoldedFor === filters;
  const facets = useQuery(facetsOf(tenant, search)).data;
  const open = useList({ ...boardPages(tenant, search, unfolded), enabled: isOpen });
  const past = useList({ ...pastPages(tenant, search), enabled: !isOpen });

  const folds = foldsBreached(search, unfolded);
  const breached =
    countIn(facets, "breached") ??
    (filters === "{}" ? (open.newest?.summary.breached_count ?? 0) : 0);
  // If nothing can still be saved, the breached rows are all there is to show.
  if (folds && search.breached === null && open.isBare && breached > 0) setUnfoldedFor(filters);

  const isScrolled = useCallback(
    () => table.current !== null && table.current.getBoundingClientRect().top < 0,
    [table],
  );
  const isPointerInUse = usePointerInUse();
  const isHeld = useCallback(
    () => isScrolled() || (isPointerInUse() && table.current?.matches(":hover") === true),
    [table, isScrolled, isPointerInUse],
  );
  const onArrival = useArrivals();
  const notifications = useNotifications();
  const poll = useBoardPoll(
    { tenant, search, unfolded },
    {
      isOn: isOpen && open.newest !== undefined && !open.isStale,
      inBackground: notifications.isOn,
      isHeld,
      onArrival,
    },
  );

  const isByTime = search.sortBy === "due_at" || search.sortBy === "breach_risk";
  const isWhole = !open.pages.hasNextPage;
  const countOf = useCallback(
    (group: GroupName): string | null => {
      const isCounted = facets !== undefined && (!isWhole || (group === "breached" && folds));
      if (!isCounted) return group === "breached" && folds ? breached.toLocaleString("en") : null;
      const count =
        group === "paused"
          ? facets.paused_count
          : (countIn(facets, group) ?? 0) - (group === "low" ? facets.paused_count : 0);
      return `${count.toLocaleString("en")}${facets.complete ? "" : "+"}`;
    },
    [facets, isWhole, folds, breached],
  );

  const items: readonly Exception[] = isOpen ? open.items : past.items;
  const newest = isOpen ? open.newest : past.newest;
  return {
    isOpen,
    items,
    openItems: isOpen ? open.items : NO_ITEMS,
    pages: isOpen ? open.pages : past.pages,
    loadMore: isOpen ? open.loadMore : past.loadMore,
    /** Null while loading. */
    asOf: (newest && (isOpen ? open.newest?.as_of : facets?.as_of)) ?? null,
    tiles: tilesOf(open.newest?.summary, facets, filtersBesidesRisk(search)),
    summary: open.newest?.summary,
    failure: isOpen ? open.failure : past.failure,
    failing: (isOpen ? (poll.error ?? open.pages.error) : past.pages.error) !== null,
    isStale: isOpen ? open.isStale : past.isStale,
    /** Null: rows aren't grouped. */
    folded: isOpen && isByTime ? folds && breached > 0 : null,
    countOf,
    matching:
      isOpen && !isWhole && facets?.complete
        ? matchingOf(search, facets.total, folds ? breached : 0)
        : null,
    waiting: poll.waiting,
    arrived: poll.arrived,
    left: poll.left,
    show: poll.show,
    /** Called when the pointer has left the rows. */
    release: () => !isScrolled() && poll.show(),
  };
}

/**
 * Whether the pointer was used after the keyboard: a pointer that only rests over the rows doesn't
 * hold them.
 */
function usePointerInUse(): () => boolean {
  const inUse = useRef(true);
  useEffect(() => {
    const ended = new AbortController();
    const options = { signal: ended.signal, capture: true, passive: true };
    let at: string | null = null;
    const use = ({ type, screenX, screenY }: PointerEvent) => {
      const now = `${screenX} ${screenY}`;
      // Browsers also report a move if the page moved below a resting pointer.
      if (type === "pointerdown" || (at !== null && at !== now)) inUse.current = true;
      at = now;
    };
    for (const type of ["pointermove", "pointerdown"] as const)
      window.addEventListener(type, use, options);
    window.addEventListener("keydown", () => (inUse.current = false), options);
    return () => ended.abort();
  }, []);
  return useCallback(() => inUse.current, []);
}

/** What a bulk change of everything would change, up to the limit of one call's filter. */
function matchingOf(search: BoardSearch, total: number, folded: number): Matching | null {
  const count = total - folded;
  const filter = {
    ...filtersToSave(search),
    ...(folded > 0 && { breach_risk: [...CAN_BE_SAVED] }),
  };
  return count > 0 && count < COUNTED_MAX ? { filter, count } : null;
}

/** Whether the board has filters other than the risk, which the tiles set. */
function filtersBesidesRisk(search: BoardSearch): boolean {
  return JSON.stringify(filtersOf({ ...search, breach_risk: null })) !== "{}";
}

function countIn(
  facets: { facets: { breach_risk: { value: string; count: number }[] } } | undefined,
  risk: string,
): number | undefined {
  return facets && (facets.facets.breach_risk.find(({ value }) => value === risk)?.count ?? 0);
}
