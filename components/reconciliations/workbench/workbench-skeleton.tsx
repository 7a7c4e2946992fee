import { ListSkeleton } from "#components/kit/list-skeleton.tsx";

export function WorkbenchSkeleton() {
  return (
    <ListSkeleton
      label="Loading open lines"
      filters={["w-60", "w-32"]}
      count={9}
      row="h-14 gap-4 px-4"
      cells={["w-1/4", "w-1/6", "ml-auto w-20"]}
    />
  );
}
