import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { COLUMNS } from "./webhook-table.tsx";

const CELLS = ["w-3/4", "w-20", "w-28", "w-24", "w-26", "w-18"];

/** The list's skeleton. `filters` says whether to include them. */
export function WebhookListSkeleton({ filters = false }: { filters?: boolean }) {
  return (
    <ListSkeleton
      label="Loading webhooks"
      filters={filters ? ["w-24"] : []}
      count={5}
      row={`h-31 flex-wrap gap-x-4 px-2 @4xl:h-16 ${COLUMNS}`}
      cells={CELLS}
    />
  );
}

/** A webhook's skeleton. */
export function WebhookSkeleton() {
  return (
    <div role="status" aria-label="Loading the webhook" className="flex flex-col gap-6">
      <div className="grid grid-cols-2 gap-3 @3xl:grid-cols-4">
        {["a", "b", "c", "d"].map((tile) => (
          <Skeleton key={tile} className="h-24 w-full" />
        ))}
      </div>
      <Skeleton className="h-32 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
