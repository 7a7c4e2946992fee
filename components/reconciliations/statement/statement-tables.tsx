import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { agesOf } from "../matching/ages.ts";
import { LineHead, Row, Table } from "./table.tsx";

export function AgingTable({
  statement: { aging, left_source, right_source },
}: {
  statement: Statement;
}) {
  const currencies = [...new Set(aging.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => (
    <Table
      key={currency}
      aligned
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
