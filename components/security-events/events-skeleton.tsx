import { Skeleton } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./columns.ts";

const ROWS = Array.from({ length: 8 }, (_, index) => index);
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
        {ROWS.map((row) => (
          <div key={row} className={`flex h-24 flex-wrap items-center gap-x-4 border-b border-line px-2 @4xl:h-11 ${COLUMNS}`}>
            {CELLS.map((cell) => (
              <Skeleton key={cell} className={`h-3.5 ${cell}`} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
