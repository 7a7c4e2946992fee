"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiProblem, callApiIfNew } from "#components/api-client.ts";
import { setServerClock } from "#components/ui/server-clock.ts";
import { listSlaChangesContract, type SlaChanges } from "#lib/exceptions/sla/contract.ts";
import { boardPages, exceptionsKey, openFilters } from "../queries.ts";
import {
  type Board,
  type Changes,
  movingChanges,
  withChanges,
  withInPlaceChanges,
  withSummary,
} from "./board-cache.ts";
import type { BoardSearch } from "./search.ts";

/** With the duration of a call, changes by others show within five seconds. */
const REFRESH_MS = 4000;
const PAGE = 250;
/** With more pages of changes, the list is read again. */
const PAGES_MAX = 4;
/** How long new rows stay marked: long enough to be led from one to the next. */
const HIGHLIGHT_MS = 15_000;
const NONE: Changes = new Map();
const NOTHING: Waiting = { as_of: "", changes: NONE };
const NOBODY: ReadonlySet<string> = new Set();

/**
 * Changes waiting to be shown, as of a moment. A board that was read later contains them already.
 */
type Waiting = { as_of: string; changes: Changes };

/**
 * Keeps the board fresh by its changes, however many rows are loaded. While `isHeld` (the pointer
 * is over the rows, or they are scrolled), rows don't move: only changes that move none are shown,
 * the rest waits for `show`. `waiting` is the number of waiting new rows, `left` are removed rows,
 * `arrived` are new rows.
 */
export function useBoardPoll(
  { tenant, search, unfolded }: { tenant: string; search: BoardSearch; unfolded: boolean },
  {
    isOn,
    inBackground,
    isHeld,
    onArrival,
  }: {
    isOn: boolean;
    inBackground: boolean;
    isHeld: () => boolean;
    onArrival: (titles: string[]) => void;
  },
) {
  const cache = useQueryClient();
  const { queryKey } = boardPages(tenant, search, unfolded);
  const [pending, setPending] = useState(NOTHING);
  const [arrived, setArrived] = useState(NOBODY);
  const waits = useRef(NOTHING);
  const announced = useRef(NOBODY);
  const query = openFilters(search, unfolded);
  const { sortBy } = search;
  const key = JSON.stringify(queryKey);

  const hold = useCallback((waiting: Waiting) => {
    waits.current = waiting;
    setPending(waiting);
  }, []);

  // Another list was opened: changes waiting for the previous one are dropped.
  // biome-ignore lint/correctness/useExhaustiveDependencies: by the list alone
  useEffect(() => {
    hold(NOTHING);
    announced.current = NOBODY;
    setArrived(NOBODY);
  }, [key]);

  const list = useRef({ queryKey, sortBy });
  useLayoutEffect(() => {
    list.current = { queryKey, sortBy };
  });

  const shownLast = useRef(NOBODY);
  /**
   * Returns the rows shown last, because the pointer may have shown them on its way to a button.
   */
  const show = useCallback((): ReadonlySet<string> => {
    const { queryKey, sortBy } = list.current;
    const before = cache.getQueryData<Board>(queryKey);
    const changes = waitingFor(before, waits.current);
    hold(NOTHING);
    if (!before || changes.size === 0) return shownLast.current;
    const known = new Set(idsOf(before));
    const after = withChanges(before, changes, sortBy);
    cache.setQueryData<Board>(queryKey, after);
    const fresh = new Set(idsOf(after).filter((id) => !known.has(id)));
    if (fresh.size > 0) {
      shownLast.current = fresh;
      setArrived(fresh);
    }
    return shownLast.current;
  }, [cache, hold]);

  useEffect(() => {
    if (arrived.size === 0) return;
    const timer = setTimeout(() => setArrived(NOBODY), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [arrived]);

  /** The ETag of the last poll, and the moment from which the next one asks. */
  const polled = useRef<{ since: string; etag: string | null }>({ since: "", etag: null });
  const poll = useQuery({
    queryKey: [...exceptionsKey(tenant), listSlaChangesContract.operationId, query, sortBy],
    queryFn: async ({ signal }) => {
      const board = cache.getQueryData<Board>(queryKey);
      const since = board?.pages[0]?.as_of;
      if (!since) return null;
      const etag = polled.current.since === since ? polled.current.etag : null;
      const read = await changesSince({ tenant, query, since, known: etag, signal });
      if (read === UNCHANGED) return since;
      if (!read) {
        await cache.invalidateQueries({ queryKey });
        return null;
      }
      polled.current = { since: read.as_of, etag: read.etag };
      const cached = cache.getQueryData<Board>(queryKey);
      if (!cached) return null;
      setServerClock(read.as_of);
      if (cached.pages[0]?.as_of !== since) return null;
      const changes = new Map([...waitingFor(cached, waits.current), ...read.changes]);
      cache.setQueryData<Board>(
        queryKey,
        withSummary(withInPlaceChanges(cached, changes, sortBy), read),
      );
      const moves = movingChanges(cached, changes, sortBy);
      const known = new Set(idsOf(cached));
      const fresh = [...moves.values()].filter(
        (item) => item !== null && !known.has(item.id) && !announced.current.has(item.id),
      );
      announced.current = new Set([
        ...announced.current,
        ...fresh.flatMap((item) => item?.id ?? []),
      ]);
      if (fresh.length > 0) onArrival(fresh.flatMap((item) => item?.title ?? []));
      hold({ as_of: read.as_of, changes: moves });
      if (moves.size > 0 && !isHeld()) show();
      return read.as_of;
    },
    enabled: isOn,
    refetchInterval: ({ state }) => REFRESH_MS * (state.error ? 2 : 1),
    refetchIntervalInBackground: inBackground,
    refetchOnMount: false,
    staleTime: 0,
    gcTime: 0,
  });

  const board = cache.getQueryData<Board>(queryKey);
  const changes = waitingFor(board, pending);
  const isKnown = new Set(changes.size === 0 ? [] : idsOf(board));
  const removed = [...changes].flatMap(([id, item]) => (item === null ? [id] : []));
  return {
    error: poll.error,
    show,
    arrived,
    waiting:
      changes.size -
      removed.length -
      [...changes.keys()].filter((id) => isKnown.has(id) && !removed.includes(id)).length,
    left: removed.length === 0 ? NOBODY : new Set(removed),
  };
}

function waitingFor(board: Board | undefined, { as_of, changes }: Waiting): Changes {
  return board?.pages[0]?.as_of === as_of ? changes : NONE;
}

/** The page has what a poll would return. */
export const UNCHANGED = "unchanged";

type Read = Pick<SlaChanges, "as_of" | "summary"> & { changes: Changes; etag: string | null };

/**
 * Null if there are so many that the list should be read again. `known`: the ETag of the response
 * whose `as_of` is `since`.
 */
export async function changesSince({
  tenant,
  query,
  since,
  known = null,
  signal,
}: {
  tenant: string;
  query: Record<string, string>;
  since: string;
  known?: string | null;
  signal: AbortSignal;
}): Promise<Read | typeof UNCHANGED | null> {
  const changes = new Map<string, SlaChanges["items"][number]["exception"]>();
  let first: { data: SlaChanges; etag: string | null } | undefined;
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await readChanges({
      tenant,
      query: { ...query, since, limit: String(PAGE), ...(cursor !== null && { cursor }) },
      ifNoneMatch: first ? null : known,
      signal,
    });
    if (page === UNCHANGED || page === null) return page;
    first ??= page;
    for (const { id, exception } of page.data.items) changes.set(id, exception);
    cursor = page.data.next_cursor;
    if (cursor === null) {
      const { data, etag } = first;
      return { as_of: data.as_of, summary: data.summary, changes, etag };
    }
  }
  return null;
}

/** A page of changes; null if `since` is too long ago. */
async function readChanges(
  call: Parameters<typeof callApiIfNew<typeof listSlaChangesContract>>[1],
): Promise<{ data: SlaChanges; etag: string | null } | typeof UNCHANGED | null> {
  try {
    return (await callApiIfNew(listSlaChangesContract, call)) ?? UNCHANGED;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === "invalid_request") return null;
    throw error;
  }
}

function idsOf(board: Board | undefined): string[] {
  return board?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? [];
}
