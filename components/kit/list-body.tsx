"use client";

import type { ReactNode } from "react";
import { LoadMore, type Pages } from "./load-more.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

/** The result of `useList`. */
type List<Page> = {
  pages: Pages & { refetch: () => unknown };
  items: readonly unknown[];
  newest: Page | undefined;
  isStale: boolean;
  failure: Error | null;
};

/** The body of a list: its error, skeleton, empty state, or rows with "load more". */
export function ListBody<Page>({
  list: { pages, items, newest, isStale, failure },
  skeleton,
  bare,
  children,
}: {
  list: List<Page>;
  skeleton: ReactNode;
  /** The empty state: nothing yet, or no matches. */
  bare: ReactNode;
  /** The rows; `first` is the first page, for its other fields. */
  children: (newest: Page) => ReactNode;
}) {
  if (failure) return <ProblemNotice error={failure} onRetry={() => pages.refetch()} />;
  if (newest === undefined || (items.length === 0 && isStale)) return skeleton;
  if (items.length === 0) return bare;
  return (
    <>
      {children(newest)}
      <LoadMore count={items.length} pages={pages} />
    </>
  );
}
