import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { BatchSkeleton } from "#components/reconciliations/entries/batch-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <BatchSkeleton filters />
    </PageSkeleton>
  );
}
