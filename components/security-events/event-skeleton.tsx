import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { COLUMNS } from "./event-table.tsx";

const CELLS = ["w-24", "w-3/4", "w-20", "w-28", "w-24", "w-24 @max-6xl:hidden"];

/** The list's skeleton. `filters`: whether to include them. */
export function EventSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading the security events"
      filters={filters ? ["w-28", "w-20", "w-48"] : []}
      count={8}
      row={`h-24 flex-wrap gap-x-4 px-2 @4xl:h-11 ${COLUMNS}`}
      cells={CELLS}
    />
  );
}
