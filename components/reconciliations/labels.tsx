import {
  Archive,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  Hourglass,
  type LucideIcon,
} from "lucide-react";
import { percent } from "#components/ui/percent.ts";
import type { Reconciliation, ReconciliationStatus } from "#lib/reconciliations/contract.ts";

export const STATUS_LABELS: Record<ReconciliationStatus, string> = {
  open: "Open",
  in_progress: "In progress",
  completed: "Completed",
  archived: "Archived",
};

const ICONS: Record<ReconciliationStatus, LucideIcon> = {
  open: CircleDashed,
  in_progress: CircleDot,
  completed: CircleCheck,
  archived: Archive,
};

export function StatusLabel({ status }: { status: ReconciliationStatus }) {
  const Icon = ICONS[status];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon aria-hidden className="size-3.5 text-muted" />
      {STATUS_LABELS[status]}
    </span>
  );
}

/** The status, or that the period is being closed and whether that failed. */
export function PeriodStatus({
  reconciliation: { status, closing, closing_failure },
}: {
  reconciliation: Reconciliation;
}) {
  if (closing)
    return (
      <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
        <Hourglass aria-hidden className="size-3.5 text-muted" />
        Closing…
      </span>
    );
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      <StatusLabel status={status} />
      {closing_failure !== null && (
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-danger-text">
          <CircleAlert aria-hidden className="size-3.5" />
          Closing failed
        </span>
      )}
    </span>
  );
}

/** The match rate, rounded down, so that 100 % means all; null if there are no items. */
export function matchedShare({
  matched_count,
  unmatched_count,
}: {
  matched_count: number;
  unmatched_count: number;
}): string | null {
  const total = matched_count + unmatched_count;
  if (total === 0) return null;
  return percent(matched_count / total);
}
