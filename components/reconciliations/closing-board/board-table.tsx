import { RowTable } from "#components/kit/row-stop.tsx";
import { classes } from "#components/ui/classes.ts";
import type { BoardPair, BoardPeriod } from "#lib/matching/closing-board/contract.ts";
import { longMonth, shortMonth } from "#lib/wire/period-name.ts";
import { PeriodCell } from "./period-cell.tsx";

const FIRST = "md:sticky md:left-0 md:z-10 md:w-56 md:min-w-56 md:bg-surface";

/** Pairs as rows, months as columns; on a phone a card for each pair. */
export function BoardTable({
  pairs,
  months,
  stale,
}: {
  pairs: readonly BoardPair[];
  months: readonly string[];
  stale: boolean;
}) {
  return (
    // The newest months are at the right.
    <div ref={scrollToEnd} className="overflow-x-auto">
      <RowTable
        aria-busy={stale}
        className={classes("w-full text-sm transition-opacity max-md:block", stale && "opacity-60")}
      >
        <caption className="sr-only">Pairs of sources by month</caption>
        <thead className="text-xs text-muted max-md:sr-only">
          <tr className="border-b border-line text-left">
            <th scope="col" className={`h-9 pr-4 font-medium ${FIRST}`}>
              Sources
            </th>
            {months.map((month) => (
              <th key={month} scope="col" className="h-9 min-w-36 px-2 font-medium">
                {longMonth(month)} {month.slice(0, 4)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:flex max-md:flex-col max-md:gap-3">
          {pairs.map((pair) => (
            <tr
              key={`${pair.left_source_id} ${pair.right_source_id}`}
              className="border-b border-line max-md:block max-md:rounded-lg max-md:border max-md:bg-raised max-md:p-2"
            >
              <th
                scope="row"
                className={`py-2 pr-4 text-left align-top font-normal max-md:block max-md:px-2 ${FIRST}`}
              >
                <SourceOfPair name={pair.left_source} side="left" />
                <SourceOfPair name={pair.right_source} side="right" />
              </th>
              {months.map((month) => (
                <MonthCell key={month} month={month} periods={periodsOf(pair, month)} />
              ))}
            </tr>
          ))}
        </tbody>
      </RowTable>
    </div>
  );
}

/** The side is the word that the amounts of the pair's periods have. */
function SourceOfPair({ name, side }: { name: string; side: "left" | "right" }) {
  return (
    <span className="block wrap-anywhere">
      <span className="font-medium">{name}</span>{" "}
      <span className="text-xs whitespace-nowrap text-muted">{side}</span>
    </span>
  );
}

function scrollToEnd(board: HTMLDivElement | null) {
  board?.scrollTo({ left: board.scrollWidth });
}

function MonthCell({ month, periods }: { month: string; periods: readonly BoardPeriod[] }) {
  return (
    <td
      className={classes(
        "align-top max-md:flex max-md:gap-2",
        periods.length === 0 && "max-md:hidden",
      )}
    >
      <span aria-hidden className="w-20 shrink-0 px-2 py-1.5 text-muted md:hidden">
        {shortMonth(month)} {month.slice(0, 4)}
      </span>
      {periods.length === 0 ? (
        <span className="block px-2 py-1.5 text-muted">–</span>
      ) : (
        <div className="min-w-0 flex-1">
          {periods.map((period) => (
            <PeriodCell key={period.reconciliation_id} period={period} />
          ))}
        </div>
      )}
    </td>
  );
}

function periodsOf({ periods }: BoardPair, month: string): BoardPeriod[] {
  return periods.filter(({ period_end }) => period_end.startsWith(month));
}
