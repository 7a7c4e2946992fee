import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { ReconciliationSkeleton } from "#components/reconciliations/reconciliation-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <ReconciliationSkeleton filters />
    </PageSkeleton>
  );
}
