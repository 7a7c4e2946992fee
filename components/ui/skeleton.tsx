import { classes } from "./classes.ts";

/** A grey placeholder with the size of the content. */
export function Skeleton({ className }: { className: string }) {
  return (
    <span
      aria-hidden
      className={classes("block animate-pulse rounded-sm bg-selected", className)}
    />
  );
}

/** Skeleton rows. `cells` are the widths of their cells. */
export function SkeletonRows({
  count,
  row,
  cells,
}: {
  count: number;
  row: string;
  cells: readonly string[];
}) {
  return Array.from({ length: count }, (_, index) => index).map((index) => (
    <div key={index} className={classes("flex items-center border-b border-line", row)}>
      {cells.map((cell) => (
        <Skeleton key={cell} className={classes("h-3.5", cell)} />
      ))}
    </div>
  ));
}
