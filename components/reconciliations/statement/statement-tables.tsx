import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { agesOf } from "../matching/ages.ts";
import { LineHead, Row, Table } from "./table.tsx";

/** Per currency: each side's way from opening to closing balance, and what nothing explains. */
export function BalanceTable({
  statement: { balances, differences, left_source, right_source },
}: {
  statement: Statement;
}) {
  return (
    <>
      <Table
        caption="Balances"
        columns={["Source", "Opening", "Lines", "Closing", "Outstanding", "Excluded"]}
      >
        {balances.map(
          ({
            currency,
            side,
            opening_minor,
            lines_minor,
            closing_minor,
            outstanding_minor,
            excluded_minor,
            line_count,
          }) => (
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
              cells={[
                opening_minor,
                lines_minor,
                closing_minor,
                outstanding_minor,
                excluded_minor,
              ].map((sum) => formatMoney(sum, currency))}
            />
          ),
        )}
      </Table>
      {differences.map(({ currency, adjustments_minor, residual_minor, difference_minor }) => (
        <p key={currency} className="flex flex-wrap gap-x-6 gap-y-1 tabular-nums">
          <span>
            Adjustments{" "}
            <strong className="font-medium">{formatMoney(adjustments_minor, currency)}</strong>
          </span>
          <span>
            Residuals{" "}
            <strong className="font-medium">{formatMoney(residual_minor, currency)}</strong>
          </span>
          <span>
            Unexplained difference{" "}
            <strong className="font-semibold">{formatMoney(difference_minor, currency)}</strong>
          </span>
        </p>
      ))}
    </>
  );
}

export function AgingTable({
  statement: { aging, left_source, right_source },
}: {
  statement: Statement;
}) {
  const currencies = [...new Set(aging.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => (
    <Table
      key={currency}
      caption={`Outstanding by age, ${currency}`}
      columns={[`Days, ${currency}`, left_source, right_source]}
    >
      {agesOf(aging, currency).map(({ name, from, left, right }) => (
        <Row
          key={from}
          head={name}
          cells={[left, right].map(({ minor, lines }) =>
            lines === 0 ? "–" : `${formatMoney(minor, currency)} · ${lines}`,
          )}
        />
      ))}
    </Table>
  ));
}

export function OutstandingTable({
  statement: { outstanding, left_source, right_source },
}: {
  statement: Statement;
}) {
  return (
    <Table caption="Outstanding lines" columns={["Line", "Value date", "Days", "Open"]}>
      {outstanding.map(({ side, value_date, age_days, currency, open_minor, ...line }) => (
        <Row
          key={line.line_id}
          head={<LineHead line={line} hints={[side === "left" ? left_source : right_source]} />}
          cells={[formatDay(value_date, "UTC"), age_days, formatMoney(open_minor, currency)]}
        />
      ))}
    </Table>
  );
}
