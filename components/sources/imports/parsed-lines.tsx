import { ArrowDownLeft, ArrowUpRight } from "lucide-react";
import { lineName } from "#components/kit/line-name.ts";
import { classes } from "#components/ui/classes.ts";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { ImportPreview } from "#lib/imports/contract.ts";
import type { Source } from "#lib/sources/contract.ts";

type Parsed = ImportPreview["lines"][number];

/**
 * The first lines of a file as they would be imported. `sign`: whether the source's signs are
 * reversed.
 */
export function ParsedLines({
  lines,
  sign,
  stale,
}: {
  lines: readonly Parsed[];
  sign: Source["sign"];
  stale: boolean;
}) {
  return (
    <table
      aria-busy={stale}
      className={classes(
        "block rounded-lg border border-line bg-raised text-sm transition-opacity",
        stale && "opacity-60",
      )}
    >
      <caption className="sr-only">The first lines, as they would be imported</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Text</th>
          <th scope="col">Amount</th>
          <th scope="col">Value date and row</th>
          <th scope="col">Direction</th>
        </tr>
      </thead>
      <tbody className="block">
        {lines.map((line) => (
          <tr
            key={line.file_line}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 border-b border-line px-3 py-2 last:border-b-0"
          >
            <td className="truncate font-medium">{lineName(line)}</td>
            <td className="text-right font-medium whitespace-nowrap tabular-nums">
              {formatMoney(line.amount_minor, line.currency)}
            </td>
            <td className="relative min-w-0 truncate text-muted">
              <span className="tabular-nums">{formatDay(line.value_date, "UTC")}</span>
              {line.counterparty !== null && textOf(line) && ` · ${textOf(line)}`}
              <span className="sr-only"> row {line.file_line}</span>
              {line.fee_minor !== null &&
                line.fee_minor !== 0 &&
                ` · Fee ${formatMoney(line.fee_minor, line.currency)}`}
              {line.duplicate && <span className="text-ink"> · Already there, skipped</span>}
            </td>
            <td className="text-right text-muted">
              <Direction incoming={line.amount_minor < 0 === (sign === "inverted")} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf({ reference, description }: Parsed): string {
  return [reference, description].filter((text) => text !== null).join(" · ");
}

function Direction({ incoming }: { incoming: boolean }) {
  const Icon = incoming ? ArrowDownLeft : ArrowUpRight;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <Icon aria-hidden className="size-3.5" />
      {incoming ? "Money in" : "Money out"}
    </span>
  );
}
