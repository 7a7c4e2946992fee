import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { COLUMNS } from "./key-table.tsx";

const CELLS = ["w-3/4", "w-18", "w-40", "w-24", "w-20", "w-24", "w-16 @max-6xl:hidden"];

/** The list's skeleton. `filters` says whether to include them. */
export function KeySkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading API keys"
      filters={filters ? ["w-72", "w-20"] : []}
      count={6}
      row={`h-31 flex-wrap gap-x-4 px-2 @4xl:h-14 ${COLUMNS}`}
      cells={CELLS}
    />
  );
}
