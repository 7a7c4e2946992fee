import { classes } from "#components/ui/classes.ts";

const MIN = 0.004;

/**
 * Part of a bar, from and to between 0 and 1. Drawn by attributes: the content security policy
 * forbids styles from the server.
 */
export function Bar({
  from,
  to,
  fill,
  className,
}: {
  from: number;
  to: number;
  fill: string;
  className?: string;
}) {
  const width = to > from ? Math.max(MIN, to - from) : 0;
  return (
    <svg aria-hidden className={classes("block h-3 w-full", className)}>
      <rect width="100%" height="100%" rx="2" className="fill-hover" />
      <rect
        x={percent(Math.min(from, 1 - width))}
        width={percent(width)}
        height="100%"
        rx="2"
        className={fill}
      />
    </svg>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
