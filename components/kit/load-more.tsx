"use client";

import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";

/** How far below the screen the next page is already fetched. */
const AHEAD = "600px";
/** A list of up to this many items is seen whole, and doesn't say so. */
const ONE_SCREEN = 20;

export type Pages = Pick<
  UseInfiniteQueryResult,
  "hasNextPage" | "isFetching" | "isFetchNextPageError" | "fetchNextPage"
>;

/** The end of a list: fetches the next page as it comes near, and says when all are loaded. */
export function LoadMore({ count, pages }: { count: number; pages: Pages }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = pages;
  // Observes again after every fetch: a cancelled page must be requested again, although the end
  // never left the screen.
  const shouldFetch = hasNextPage && !isFetching && !isFetchNextPageError;

  useEffect(() => {
    if (!shouldFetch || !end.current) return;
    // A busy page receives several changes at once, of which the last is current.
    const observer = new IntersectionObserver(
      (changes) => changes.at(-1)?.isIntersecting && fetchNextPage(),
      { rootMargin: AHEAD },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [shouldFetch, fetchNextPage]);

  return (
    <div ref={end} className="flex justify-center py-4 text-sm text-muted">
      {isFetchNextPageError ? (
        <Button onClick={() => fetchNextPage()}>Load more</Button>
      ) : (
        <p role="status">
          {hasNextPage
            ? "Loading more…"
            : count > ONE_SCREEN && `All ${count.toLocaleString("en")} shown`}
        </p>
      )}
    </div>
  );
}
