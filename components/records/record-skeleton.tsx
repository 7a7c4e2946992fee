import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-2/5", "w-1/6 max-sm:hidden", "w-1/5 max-sm:hidden", "ml-auto w-24"];

/** The list's skeleton. `filters`: whether to include them. */
export function RecordSkeleton({ label, filters = false }: { label: string; filters?: boolean }) {
  return (
    <ListSkeleton
      label={`Loading ${label}`}
      filters={filters ? ["w-80", "w-28"] : []}
      count={12}
      row="h-11 gap-4 px-4"
      cells={CELLS}
    />
  );
}
