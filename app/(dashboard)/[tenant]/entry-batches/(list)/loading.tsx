import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { EntryBatchSkeleton } from "#components/reconciliations/entries/entry-batch-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <EntryBatchSkeleton filters />
    </PageSkeleton>
  );
}
