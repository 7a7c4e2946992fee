import { Skeleton, SkeletonRows } from "#components/ui/skeleton.tsx";
import { ROW } from "./columns.ts";

const TILES = ["breached", "at risk", "on track", "total"];
const FILTERS = ["w-18", "w-24", "w-26", "w-20"];
const CELLS = [
  "w-4 @xl:mr-2",
  "w-20 @xl:w-3.5 @4xl:mr-3 @4xl:w-20",
  "w-18 @xl:mr-10 @4xl:mr-12",
  "w-20 @4xl:mr-6 @max-5xl:hidden",
  "w-3/4 @xl:w-auto @xl:flex-1",
  "ml-auto w-20 @xl:ml-12 @4xl:mr-3",
  "w-16 @xl:w-3.5 @4xl:mr-6 @4xl:w-16",
  "w-21 @xl:w-5 @4xl:mr-5 @4xl:w-21",
  "w-17 @xl:w-3.5 @4xl:mr-7 @4xl:w-17",
];

/** The board's skeleton. */
export function BoardSkeleton() {
  return (
    <div role="status" aria-label="Loading exceptions">
      <div className="grid grid-cols-2 gap-3 @2xl:grid-cols-4">
        {TILES.map((tile) => (
          <div key={tile} className="rounded-lg border border-line bg-raised px-4 py-2.5 @xl:py-3">
            <Skeleton className="my-1 h-3 w-20" />
            <Skeleton className="my-1.5 h-5 w-12" />
            <Skeleton className="mt-1.5 hidden h-2.5 w-24 @xl:block" />
          </div>
        ))}
      </div>
      <div className="flex gap-2 py-4">
        {FILTERS.map((width) => (
          <Skeleton key={width} className={`h-8 max-sm:h-9 ${width}`} />
        ))}
      </div>
      <div className="border-line @4xl:mt-9 @4xl:border-t">
        <SkeletonRows
          count={12}
          row={`h-22 flex-wrap gap-x-3 pr-3 pl-4 @xl:h-11 ${ROW}`}
          cells={CELLS}
        />
      </div>
    </div>
  );
}
