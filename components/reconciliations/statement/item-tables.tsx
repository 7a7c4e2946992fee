import type { ReactNode } from "react";
import { ADJUSTMENT_LABELS } from "#components/kit/match-labels.ts";
import { personName } from "#components/people/person.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type {
  Statement,
  StatementAdjustment,
  StatementExclusion,
  StatementResidual,
} from "#lib/matching/periods/contract.ts";
import { LineHead, Row, Table } from "./table.tsx";
import type { Total } from "./totals.ts";

type Itemised<Item> = { items: readonly Item[]; totals: readonly Total[]; statement: Statement };

export function AdjustmentTable({ items, totals, statement }: Itemised<StatementAdjustment>) {
  const { timeZone } = usePreferences();
  return (
    <ItemTable
      caption="Adjustments"
      columns={["Adjustment", "Decided by", "Date", "Amount"]}
      totals={totals}
      statement={statement}
    >
      {items.map(
        ({ match_id, currency, kind, amount_minor, note, decided_by, decided_at }, place) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: one match can have several alike
            key={`${match_id} ${place}`}
            head={
              <>
                {ADJUSTMENT_LABELS[kind]}
                {note && <span className="block text-xs wrap-anywhere text-muted">{note}</span>}
              </>
            }
            cells={[
              decider(decided_by),
              decided_at ? formatDay(decided_at, timeZone) : "–",
              formatMoney(amount_minor, currency),
            ]}
          />
        ),
      )}
    </ItemTable>
  );
}

export function ResidualTable({ items, totals, statement }: Itemised<StatementResidual>) {
  const { timeZone } = usePreferences();
  return (
    <ItemTable
      caption="Residuals"
      columns={["Match", "Decided by", "Date", "Amount"]}
      totals={totals}
      statement={statement}
    >
      {items.map(
        ({ decided_by, decided_at, amount_minor, currency, value_date, reason, ...line }) => (
          <Row
            key={line.match_id}
            head={<LineHead line={line} hints={[formatDay(value_date, "UTC"), reason]} />}
            cells={[
              decider(decided_by),
              formatDay(decided_at, timeZone),
              formatMoney(amount_minor, currency),
            ]}
          />
        ),
      )}
    </ItemTable>
  );
}

export function ExclusionTable({ items, totals, statement }: Itemised<StatementExclusion>) {
  const { timeZone } = usePreferences();
  return (
    <ItemTable
      caption="Excluded lines"
      columns={["Line", "Excluded by", "Date", "Amount"]}
      totals={totals}
      statement={statement}
    >
      {items.map(
        ({ decided_by, decided_at, amount_minor, currency, value_date, reason, side, ...line }) => (
          <Row
            key={line.line_id}
            head={
              <LineHead
                line={line}
                hints={[`${sourceOf(statement, side)} · ${formatDay(value_date, "UTC")}`, reason]}
              />
            }
            cells={[
              decider(decided_by),
              formatDay(decided_at, timeZone),
              formatMoney(amount_minor, currency),
            ]}
          />
        ),
      )}
    </ItemTable>
  );
}

/** A table of decisions with their total, and what earlier periods add to the statement's sum. */
function ItemTable({
  caption,
  columns,
  totals,
  statement,
  children,
}: {
  caption: string;
  columns: readonly string[];
  totals: readonly Total[];
  statement: Statement;
  children: ReactNode;
}) {
  return (
    <Table caption={caption} columns={columns}>
      {children}
      {totals.map(({ currency, side, period, earlier }) => (
        <Row
          key={`${currency} ${side}`}
          head={
            <span className="font-medium">
              Total{side && `, ${sourceOf(statement, side)}`}
              {earlier !== "0" && (
                <span className="block text-xs font-normal text-muted">
                  Earlier periods add {formatMoney(earlier, currency)}
                </span>
              )}
            </span>
          }
          cells={["", "", formatMoney(period, currency)]}
        />
      ))}
    </Table>
  );
}

function decider(decidedBy: string | null): string {
  return decidedBy === null ? "Rules" : personName(decidedBy);
}

function sourceOf({ left_source, right_source }: Statement, side: "left" | "right"): string {
  return side === "left" ? left_source : right_source;
}
