import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-24", "w-1/4 max-md:hidden", "w-20", "ml-auto w-20"];

export function EntryBatchSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading entry batches"
      filters={filters ? ["w-60"] : []}
      count={8}
      row="h-15.5 gap-4 px-4"
      cells={CELLS}
    />
  );
}
