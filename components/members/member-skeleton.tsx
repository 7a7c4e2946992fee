import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { COLUMNS } from "./member-table.tsx";

const CELLS = ["w-3/4", "w-24", "w-16", "w-8", "w-32", "w-8"];

/** The list's skeleton. `filters`: whether to include the search. */
export function MemberSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading members"
      filters={filters ? ["w-72"] : []}
      count={6}
      row={`h-28 flex-wrap gap-x-4 px-2 @4xl:h-14 ${COLUMNS}`}
      cells={CELLS}
    />
  );
}
