import { Plus, Scale, SearchX } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { SkeletonRows } from "#components/ui/skeleton.tsx";

const CELLS = ["w-1/3", "w-1/6 max-md:hidden", "w-20", "ml-auto w-10"];

export function ReconciliationsSkeleton() {
  return (
    <div role="status" aria-label="Loading reconciliations" className="border-t border-line">
      <SkeletonRows count={10} row="h-15.5 gap-4 px-4" cells={CELLS} />
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
