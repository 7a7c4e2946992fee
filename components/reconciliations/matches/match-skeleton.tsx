import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

const CELLS = ["w-1/4", "w-1/4", "w-24 max-md:hidden", "w-24 max-md:hidden", "ml-auto w-20"];

/** The matches' skeleton. */
export function MatchSkeleton() {
  return (
    <ListSkeleton
      label="Loading matches"
      filters={[]}
      count={10}
      row="h-15.5 gap-4 px-4"
      cells={CELLS}
    />
  );
}
