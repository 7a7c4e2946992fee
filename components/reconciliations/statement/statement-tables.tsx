import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { type OutstandingKind, outstandingName } from "#lib/wire/outstanding-kinds.ts";
import { agesByKind } from "../matching/ages.ts";
import { LineHead, Row, Table } from "./table.tsx";

export function AgingTable({ statement }: { statement: Statement }) {
  const { aging, left_source, right_source } = statement;
  const currencies = [...new Set(aging.map(({ currency }) => currency))].sort();
  return currencies.flatMap((currency) =>
    agesByKind(statement, currency).map(({ kind, ages }) => (
      <Table
        key={`${currency} ${kind}`}
        aligned
        caption={`Outstanding ${kind ? `${kind}s ` : ""}by age, ${currency}`}
        columns={[
          kind ? KIND_HEADS[kind](currency) : `Days, ${currency}`,
          left_source,
          right_source,
        ]}
      >
        {ages.map(({ name, from, left, right }) => (
          <Row
            key={from}
            head={name}
            cells={[left, right].map(({ minor, lines }) =>
              lines === 0 ? "–" : `${formatMoney(minor, currency)} · ${lines}`,
            )}
          />
        ))}
      </Table>
    )),
  );
}

const KIND_HEADS: Record<OutstandingKind, (currency: string) => string> = {
  receipt: (currency) => `Receipts by days, ${currency}`,
  payment: (currency) => `Payments by days, ${currency}`,
};

export function OutstandingTable({ statement }: { statement: Statement }) {
  const { outstanding, left_source, right_source } = statement;
  return (
    <Table caption="Outstanding lines" columns={["Line", "Value date", "Days", "Open"]}>
      {outstanding.map(({ side, value_date, age_days, currency, open_minor, ...line }) => (
        <Row
          key={line.line_id}
          head={
            <LineHead
              line={line}
              hints={[
                side === "left" ? left_source : right_source,
                outstandingName(open_minor < 0 ? "payment" : "receipt", side, statement),
              ]}
            />
          }
          cells={[formatDay(value_date, "UTC"), age_days, formatMoney(open_minor, currency)]}
        />
      ))}
    </Table>
  );
}
