import type { ReactNode } from "react";
import { classes } from "#components/ui/classes.ts";
import { Skeleton, SkeletonRows } from "#components/ui/skeleton.tsx";

/** A page's skeleton below its header. `action`: whether the header has a button. */
export function PageSkeleton({
  action = false,
  children,
}: {
  action?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={classes(
        "@container px-4 sm:px-6",
        action ? "pt-21 sm:pt-22 lg:pt-24" : "pt-19 sm:pt-20 lg:pt-22",
      )}
    >
      {children}
    </div>
  );
}

/**
 * `row` is a row's classes, height first; `cells` are the widths of its cells; `filters` are the
 * widths of the filters.
 */
type Shape = {
  label: string;
  count: number;
  row: string;
  cells: readonly string[];
  filters?: readonly string[];
};

/** A list's skeleton. */
export function ListSkeleton({ label, count, row, cells, filters = [] }: Shape) {
  return (
    <div role="status" aria-label={label}>
      <div className="flex flex-wrap gap-2 pb-4 empty:hidden">
        {filters.map((width) => (
          <Skeleton key={width} className={`h-8 max-w-full max-sm:h-9 ${width}`} />
        ))}
      </div>
      <div className="border-t border-line">
        <SkeletonRows count={count} row={row} cells={cells} />
      </div>
    </div>
  );
}

/** The skeleton of part of a page or panel, as bars. */
export function PartSkeleton({ label, bars }: { label: string; bars: readonly string[] }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3">
      {bars.map((bar) => (
        <Skeleton key={bar} className={bar} />
      ))}
    </div>
  );
}
