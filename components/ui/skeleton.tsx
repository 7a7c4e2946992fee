import { classes } from "./classes.ts";

/** A grey stand-in with the size of what is loading. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden className={classes("block animate-pulse rounded-sm bg-selected", className)} />;
}
