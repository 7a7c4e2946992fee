import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./request-table.tsx";

const CELLS = ["w-14", "w-3/4", "w-24", "w-12", "w-28"];

/** The list's skeleton. `withList`: with the chart and the filters above it. */
export function RequestSkeleton({ withList = false }: { withList?: boolean }) {
  return (
    <>
      {withList && <Skeleton className="mb-4 h-44 w-full" />}
      <ListSkeleton
        label="Loading the requests"
        filters={withList ? ["w-28", "w-20", "w-24", "w-52"] : []}
        count={10}
        row={`h-20 flex-wrap gap-x-4 px-2 @4xl:h-12 ${COLUMNS}`}
        cells={CELLS}
      />
    </>
  );
}
