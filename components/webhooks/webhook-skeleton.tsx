import { Skeleton } from "#components/ui/skeleton.tsx";

/** A webhook's shape while it loads. */
export function WebhookSkeleton() {
  return (
    <div role="status" aria-label="Loading the webhook" className="flex flex-col gap-6 px-4 sm:px-6">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
        {["a", "b", "c", "d"].map((tile) => (
          <Skeleton key={tile} className="h-24 w-full" />
        ))}
      </div>
      <Skeleton className="h-32 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
