"use client";

import type { ReactNode } from "react";
import { LoadMore, type Pages } from "./load-more.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

/** As `useList` gives it. */
type List<Page> = {
  pages: Pages & { refetch: () => unknown };
  items: readonly unknown[];
  newest: Page | undefined;
  isStale: boolean;
  failure: Error | null;
};

/** What stands where a list is: why it failed, its skeleton, why it is bare, or its rows with the way to more of them. */
export function ListBody<Page>({
  list: { pages, items, newest, isStale, failure },
  skeleton,
  bare,
  children,
}: {
  list: List<Page>;
  skeleton: ReactNode;
  /** Shown where there is nothing: nothing yet, or nothing that matches. */
  bare: ReactNode;
  /** The rows, given the first page for what it says beside them. */
  children: (newest: Page) => ReactNode;
}) {
  if (failure) return <ProblemNotice error={failure} onRetry={() => pages.refetch()} />;
  if (newest === undefined || (items.length === 0 && isStale)) return skeleton;
  if (items.length === 0) return bare;
  return (
    <>
      {children(newest)}
      <LoadMore shown={items.length} pages={pages} />
    </>
  );
}
