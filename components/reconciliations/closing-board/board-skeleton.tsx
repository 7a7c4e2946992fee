import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-1/5", "w-1/6 max-md:hidden", "w-1/6 max-md:hidden", "w-1/6"];

/** The board's skeleton. `filters`: whether to include them. */
export function BoardSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading the month"
      filters={filters ? ["w-56", "w-20"] : []}
      count={8}
      row="h-20 gap-4 px-4"
      cells={CELLS}
    />
  );
}
