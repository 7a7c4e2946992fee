import { PageSkeleton } from "#components/kit/skeletons.tsx";
import { ReconciliationSkeleton } from "#components/reconciliations/reconciliation-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <ReconciliationSkeleton filters />
    </PageSkeleton>
  );
}
