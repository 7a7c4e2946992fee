import { Equal } from "lucide-react";
import { classes } from "#components/ui/classes.ts";
import { formatMoney } from "#components/ui/money.ts";

/** Left, right and what they leave: always in view. */
export function DifferenceBar({
  left,
  right,
  currency,
  count,
}: {
  left: number;
  right: number;
  currency: string;
  /** Lines of the selection; 0: none. */
  count: number;
}) {
  const difference = left - right;
  return (
    <dl className="flex min-w-0 flex-wrap items-baseline gap-x-4 gap-y-0.5 text-sm tabular-nums">
      <Sum name="Left" text={formatMoney(left, currency)} />
      <Sum name="Right" text={formatMoney(right, currency)} />
      <div
        data-tone={count > 1 && difference === 0 ? "good" : "warning"}
        className={classes("flex items-baseline gap-1.5 rounded-sm px-1.5 py-0.5", count > 0 && "bg-tone-soft text-tone-ink")}
      >
        <dt className="text-xs">Difference</dt>
        <dd className="font-semibold">
          <span role="status" className="inline-flex items-center gap-1">
            {count > 1 && difference === 0 && <Equal aria-hidden className="size-3.5" />}
            {formatMoney(difference, currency)}
          </span>
        </dd>
      </div>
      <div>
        <dt className="sr-only">Selected</dt>
        <dd className="text-xs text-muted">{count === 1 ? "1 line" : `${count} lines`}</dd>
      </div>
    </dl>
  );
}

function Sum({ name, text }: { name: string; text: string }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-medium">{text}</dd>
    </div>
  );
}
