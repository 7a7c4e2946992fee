import { Skeleton } from "#components/ui/skeleton.tsx";

const CARDS = {
  "time to resolve": ["critical", "high", "medium", "low"],
  warnings: ["first", "second"],
};

export function PolicySkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading the SLA policy"
      className="flex max-w-3xl flex-col gap-4"
    >
      {Object.entries(CARDS).map(([card, rows]) => (
        <div
          key={card}
          className="flex flex-col gap-4 rounded-lg border border-line bg-raised p-4 sm:p-5"
        >
          <Skeleton className="h-5 w-36" />
          {rows.map((row) => (
            <Skeleton key={row} className="h-9 w-72 max-w-full" />
          ))}
        </div>
      ))}
    </div>
  );
}
