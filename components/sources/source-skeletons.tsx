import { ListSkeleton, PartSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-1/3", "w-12 max-md:hidden", "ml-auto w-16", "w-24 max-md:hidden"];

/** The list's skeleton. `filters`: whether to include them. */
export function SourceListSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading sources"
      filters={filters ? ["w-80", "w-20"] : []}
      count={8}
      row="h-15.5 gap-4 px-4"
      cells={CELLS}
    />
  );
}

/** A source's page. */
export function SourceSkeleton() {
  return (
    <PartSkeleton
      label="Loading the source"
      bars={["h-20 w-full", "h-32 w-full max-w-xl", "h-64 w-full"]}
    />
  );
}
