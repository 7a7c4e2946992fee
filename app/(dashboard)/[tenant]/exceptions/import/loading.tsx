import { Skeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <div role="status" aria-label="Loading the import" className="max-w-3xl px-4 pt-19 sm:px-6 sm:pt-20 lg:pt-22">
      <Skeleton className="h-56 w-full" />
    </div>
  );
}
