import { Skeleton, SkeletonRows } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./columns.ts";

const CELLS = ["w-24", "w-3/4", "w-20", "w-28", "w-24", "w-24 @max-6xl:hidden"];

/** The list's shape while it loads. */
export function EventsSkeleton() {
  return (
    <div role="status" aria-label="Loading the security events" className="@container px-4 sm:px-6">
      <div className="flex flex-wrap gap-2 pb-4">
        <Skeleton className="h-8 w-28" />
        <Skeleton className="h-8 w-20" />
        <Skeleton className="h-8 w-48 max-w-full" />
      </div>
      <div className="border-t border-line">
        <SkeletonRows count={8} row={`h-24 flex-wrap gap-x-4 px-2 @4xl:h-11 ${COLUMNS}`} cells={CELLS} />
      </div>
    </div>
  );
}
