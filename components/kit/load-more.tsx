"use client";

import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";

/** How far below the screen the next page is fetched. */
const AHEAD = "600px";

export type Pages = Pick<
  UseInfiniteQueryResult,
  "hasNextPage" | "isFetching" | "isFetchNextPageError" | "fetchNextPage"
>;

/** The end of a list: fetches the next page as it comes near and shows when all are loaded. */
export function LoadMore({ shown, pages }: { shown: number; pages: Pages }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = pages;
  // After any fetch: one that was given up for another must be asked for again, though the end never left the screen.
  const goesOn = hasNextPage && !isFetching && !isFetchNextPageError;

  useEffect(() => {
    if (!goesOn || !end.current) return;
    // Several changes come at once where the page was busy: the last is what holds.
    const observer = new IntersectionObserver(
      (changes) => changes.at(-1)?.isIntersecting && fetchNextPage(),
      { rootMargin: AHEAD },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [goesOn, fetchNextPage]);

  return (
    <div ref={end} className="flex justify-center py-4 text-sm text-muted">
      {isFetchNextPageError ? (
        <Button onClick={() => fetchNextPage()}>Load more</Button>
      ) : (
        <p role="status">
          {hasNextPage ? "Loading more…" : `All ${shown.toLocaleString("en")} shown`}
        </p>
      )}
    </div>
  );
}
