import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";

export function CalendarListSkeleton() {
  return (
    <ListSkeleton
      label="Loading calendars"
      count={3}
      row="h-15.5 gap-4 px-4"
      cells={["w-1/3", "w-24 max-md:hidden", "ml-auto w-16"]}
    />
  );
}

export function CalendarSkeleton() {
  return (
    <div role="status" aria-label="Loading the calendar" className="grid gap-4 @5xl:grid-cols-2">
      {["week", "year"].map((card) => (
        <div key={card} className="flex flex-col gap-4 rounded-lg border border-line bg-raised p-4">
          <Skeleton className="h-5 w-36" />
          <Skeleton className="h-96 w-full" />
        </div>
      ))}
    </div>
  );
}
