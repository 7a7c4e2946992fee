import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-1/3", "w-1/6 max-md:hidden", "w-20", "ml-auto w-10"];

/** The list's skeleton. `filters`: whether to include them. */
export function ReconciliationSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading reconciliations"
      filters={filters ? ["w-20", "w-96"] : []}
      count={10}
      row="h-15.5 gap-4 px-4"
      cells={CELLS}
    />
  );
}
