import { Skeleton } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./key-table.tsx";

const ROWS = Array.from({ length: 6 }, (_, index) => index);
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
        {ROWS.map((row) => (
          <div key={row} className={`flex h-31 flex-wrap items-center gap-x-4 border-b border-line px-2 @4xl:h-14 ${COLUMNS}`}>
            {CELLS.map((cell) => (
              <Skeleton key={cell} className={`h-3.5 ${cell}`} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
