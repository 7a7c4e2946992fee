"use client";

import {
  type InfiniteData,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { isRefusal } from "#components/api-client.ts";
import { startServerClock } from "#components/ui/server-clock.ts";
import type { Contract } from "#lib/wire/contract.ts";
import type { ListPage, ResponseOf, ServerQuery } from "./query.ts";

type ItemOf<C extends Contract> =
  ResponseOf<C> extends { items: readonly (infer Item)[] } ? Item & { id: string } : never;

type PagesQuery<C extends Contract> = UseInfiniteQueryOptions<
  ResponseOf<C>,
  Error,
  InfiniteData<ResponseOf<C>>,
  // biome-ignore lint/suspicious/noExplicitAny: whatever the key is tagged with
  any,
  string | null
> & { request: ServerQuery<C> };

/** A paginated list as one list. */
export function useList<C extends Contract>(query: PagesQuery<C>) {
  const pages = useInfiniteQuery(query);
  const { data, error, isPlaceholderData: isStale } = pages;
  const items = useMemo(
    () =>
      withoutTwins(data?.pages.flatMap((page) => (page as ListPage).items as ItemOf<C>[]) ?? []),
    [data],
  );
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = pages;
  // A page can be empty although others follow, if few items match its filters.
  const isLooking = items.length === 0 && hasNextPage;
  const newest = isLooking ? undefined : data?.pages[0];
  const asOf = (newest as ListPage | undefined)?.as_of;
  useEffect(() => {
    if (asOf) startServerClock(asOf);
  }, [asOf]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError)
      fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  useEffect(() => {
    if (isLooking && !isStale) loadMore();
  }, [isLooking, isStale, loadMore]);
  return {
    pages,
    /**
     * Loads the next page, when the end is near. It is a new function after every fetch, because a
     * cancelled page must be requested again although the end never left the screen.
     */
    loadMore,
    items,
    /** The first page; undefined while loading, and while all pages so far are empty. */
    newest,
    /** True while rows of the previous filters are shown. */
    isStale,
    /** True once the list is known to be empty. */
    isBare: newest !== undefined && items.length === 0 && !isStale,
    /**
     * The error to show instead of items. Items stay visible while a refresh fails, unless the
     * server now refuses access.
     */
    failure: error && (!newest || isRefusal(error)) ? error : null,
  };
}

/** Removes duplicates: an item that moved between requests can be on two pages. */
function withoutTwins<Item extends { id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
