import { type ReactNode, useId } from "react";
import { personName } from "#components/people/person.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { agesOf } from "../matching/ages.ts";
import { ADJUSTMENT_WORDS } from "../words.tsx";

const NUMBER = "py-1.5 pl-4 text-right whitespace-nowrap tabular-nums";

function Table({ caption, columns, children }: { caption: string; columns: readonly string[]; children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by itself, by keyboard too
    <section aria-labelledby={id} tabIndex={0} className="overflow-x-auto print:overflow-visible">
      <table className="w-full text-sm">
        <caption id={id} className="sr-only">
          {caption}
        </caption>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            {columns.map((name, place) => (
              <th key={name} scope="col" className={place === 0 ? "py-1.5 text-left font-medium" : `${NUMBER} font-medium`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Row({ head, cells }: { head: ReactNode; cells: readonly ReactNode[] }) {
  return (
    <tr className="border-b border-line align-top last:border-0">
      <th scope="row" className="py-1.5 text-left font-normal">
        {head}
      </th>
      {cells.map((cell, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row's cells keep their places
        <td key={place} className={NUMBER}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

/** Per currency: each side's way from opening to closing balance, and what nothing explains. */
export function BalanceTable({ statement: { balances, differences, left_source, right_source } }: { statement: Statement }) {
  return (
    <>
      <Table caption="Balances" columns={["Source", "Opening", "Lines", "Closing", "Outstanding", "Excluded"]}>
        {balances.map(({ currency, side, opening_minor, lines_minor, closing_minor, outstanding_minor, excluded_minor, line_count }) => (
          <Row
            key={`${currency} ${side}`}
            head={
              <>
                {side === "left" ? left_source : right_source}
                <span className="block text-xs text-muted">
                  {currency} · {line_count.toLocaleString("en")} lines
                </span>
              </>
            }
            cells={[opening_minor, lines_minor, closing_minor, outstanding_minor, excluded_minor].map((sum) => formatMoney(sum, currency))}
          />
        ))}
      </Table>
      {differences.map(({ currency, adjustments_minor, residual_minor, difference_minor }) => (
        <p key={currency} className="flex flex-wrap gap-x-6 gap-y-1 tabular-nums">
          <span>
            Adjustments <strong className="font-medium">{formatMoney(adjustments_minor, currency)}</strong>
          </span>
          <span>
            Residuals <strong className="font-medium">{formatMoney(residual_minor, currency)}</strong>
          </span>
          <span>
            Unexplained difference <strong className="font-semibold">{formatMoney(difference_minor, currency)}</strong>
          </span>
        </p>
      ))}
    </>
  );
}

export function AgingTable({ statement: { aging, left_source, right_source } }: { statement: Statement }) {
  const currencies = [...new Set(aging.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => (
    <Table key={currency} caption={`Outstanding by age, ${currency}`} columns={[`Days, ${currency}`, left_source, right_source]}>
      {agesOf(aging, currency).map(({ name, from, left, right }) => (
        <Row
          key={from}
          head={name}
          cells={[left, right].map(({ minor, lines }) => (lines === 0 ? "–" : `${formatMoney(minor, currency)} · ${lines}`))}
        />
      ))}
    </Table>
  ));
}

export function OutstandingTable({ statement: { outstanding, left_source, right_source } }: { statement: Statement }) {
  return (
    <Table caption="Outstanding lines" columns={["Line", "Value date", "Days", "Open"]}>
      {outstanding.map(({ line_id, side, value_date, age_days, currency, open_minor, reference, counterparty, description }) => (
        <Row
          key={line_id}
          head={
            <>
              <span className="wrap-anywhere">{[counterparty, reference].filter(Boolean).join(" · ") || description || line_id}</span>
              <span className="block text-xs text-muted">{side === "left" ? left_source : right_source}</span>
            </>
          }
          cells={[formatDay(value_date, "UTC"), age_days, formatMoney(open_minor, currency)]}
        />
      ))}
    </Table>
  );
}

export function AdjustmentTable({ adjustments }: { adjustments: Statement["adjustments"] }) {
  return (
    <Table caption="Adjustments" columns={["Adjustment", "Decided by", "Amount"]}>
      {adjustments.map(({ match_id, currency, kind, amount_minor, note, decided_by }, place) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: one match can have several alike
          key={`${match_id} ${place}`}
          head={
            <>
              {ADJUSTMENT_WORDS[kind]}
              {note && <span className="block text-xs text-muted">{note}</span>}
            </>
          }
          cells={[decided_by === null ? "Rules" : personName(decided_by), formatMoney(amount_minor, currency)]}
        />
      ))}
    </Table>
  );
}
