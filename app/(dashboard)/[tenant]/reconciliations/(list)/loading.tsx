import { ReconciliationsSkeleton } from "#components/reconciliations/reconciliation-states.tsx";

export default function Loading() {
  return (
    <div className="px-4 pt-34 sm:px-6">
      <ReconciliationsSkeleton />
    </div>
  );
}
