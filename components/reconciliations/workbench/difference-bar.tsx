import { Equal } from "lucide-react";
import { classes } from "#components/ui/classes.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Sum } from "./options.ts";

/** The sums of both sides and their difference in each currency, always visible. */
export function DifferenceBar({
  sums,
  fees,
  count,
}: {
  sums: readonly Sum[];
  /** The fees, if they explain the whole difference; otherwise 0. */
  fees: number;
  /** The number of selected lines. */
  count: number;
}) {
  const mixed = sums.length > 1;
  const agrees =
    count > 1 &&
    !mixed &&
    sums.every(({ left_minor, right_minor }) => left_minor - right_minor === fees);
  const each = (minorOf: (sum: Sum) => number) =>
    sums.map((sum) => formatMoney(minorOf(sum), sum.currency)).join(" · ");
  return (
    <dl className="flex min-w-0 flex-wrap items-baseline gap-x-4 gap-y-0.5 text-sm tabular-nums">
      <Total name="Left" text={each(({ left_minor }) => left_minor)} />
      <Total name="Right" text={each(({ right_minor }) => right_minor)} />
      <div
        data-tone={agrees ? "good" : "warning"}
        className={classes(
          "flex items-baseline gap-1.5 rounded-sm px-1.5 py-0.5",
          count > 0 && "bg-tone-soft text-tone-ink",
        )}
      >
        <dt className="text-xs">Difference</dt>
        <dd className="font-semibold">
          <span role="status" className="inline-flex items-center gap-1">
            {agrees && <Equal aria-hidden className="size-3.5" />}
            {each(({ left_minor, right_minor }) => left_minor - right_minor)}
            {fees !== 0 && <span className="font-normal">in fees</span>}
          </span>
        </dd>
      </div>
      <div>
        <dt className="sr-only">Selected</dt>
        <dd className="text-xs text-muted">
          {count === 1 ? "1 line" : `${count} lines`}
          {mixed && " in several currencies"}
        </dd>
      </div>
    </dl>
  );
}

function Total({ name, text }: { name: string; text: string }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-medium">{text}</dd>
    </div>
  );
}
