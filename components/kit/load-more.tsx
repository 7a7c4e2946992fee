"use client";

import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";

/** How far below the screen the next page is fetched. */
const AHEAD = "600px";

export type Pages = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "fetchNextPage">;

/** The end of a list: fetches the next page as it comes near and shows when all are loaded. */
export function LoadMore({ shown, pages }: { shown: number; pages: Pages }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const goesOn = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;

  useEffect(() => {
    if (!goesOn || !end.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchNextPage(), { rootMargin: AHEAD });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [goesOn, fetchNextPage]);

  return (
    <div ref={end} className="flex justify-center py-4 text-sm text-muted">
      {isFetchNextPageError ? (
        <Button onClick={() => fetchNextPage()}>Load more</Button>
      ) : (
        <p role="status">{hasNextPage ? "Loading more…" : `All ${shown.toLocaleString("en")} shown`}</p>
      )}
    </div>
  );
}
