import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-20 max-md:hidden", "w-1/3", "w-1/4 max-md:hidden", "ml-auto w-20"];

/** The lines' skeleton. `filters`: whether to include them. */
export function LineSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading lines"
      filters={filters ? ["w-80", "w-24", "w-20", "w-28"] : []}
      count={14}
      row="h-11.25 gap-4 px-4"
      cells={CELLS}
    />
  );
}
