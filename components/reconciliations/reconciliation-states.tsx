import { Plus, Scale, SearchX } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";

const ROWS = Array.from({ length: 10 }, (_, index) => index);

export function ReconciliationsSkeleton() {
  return (
    <div role="status" aria-label="Loading reconciliations" className="border-t border-line">
      {ROWS.map((row) => (
        <div key={row} className="flex h-15.5 items-center gap-4 border-b border-line px-4">
          <Skeleton className="h-3.5 w-1/3" />
          <Skeleton className="h-3.5 w-1/6 max-md:hidden" />
          <Skeleton className="h-3.5 w-20" />
          <Skeleton className="ml-auto h-3.5 w-10" />
        </div>
      ))}
    </div>
  );
}

export function ReconciliationsEmpty({ onCreate }: { onCreate?: () => void }) {
  return (
    <Notice
      icon={Scale}
      title="No reconciliations yet"
      action={
        onCreate && (
          <Button variant="primary" onClick={onCreate}>
            <Plus aria-hidden className="size-4" />
            New reconciliation
          </Button>
        )
      }
    >
      A reconciliation compares two sources over a period; what does not match becomes an exception.{" "}
      {!onCreate && "An admin or a lead can create the first."}
    </Notice>
  );
}

export function ReconciliationsNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice icon={SearchX} title="No reconciliation matches" action={<Button onClick={onClear}>Clear filters</Button>}>
      There are others, but none with this status in this period.
    </Notice>
  );
}
