import { Skeleton, SkeletonRows } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./key-table.tsx";

const CELLS = ["w-3/4", "w-18", "w-40", "w-24", "w-20", "w-24", "w-16 @max-6xl:hidden"];

/** The list's shape while it loads. */
export function KeysSkeleton() {
  return (
    <div role="status" aria-label="Loading API keys" className="@container px-4 sm:px-6">
      <div className="flex gap-2 pb-4">
        <Skeleton className="h-8 w-72 max-w-full" />
        <Skeleton className="h-8 w-20" />
      </div>
      <div className="border-t border-line">
        <SkeletonRows count={6} row={`h-31 flex-wrap gap-x-4 px-2 @4xl:h-14 ${COLUMNS}`} cells={CELLS} />
      </div>
    </div>
  );
}
