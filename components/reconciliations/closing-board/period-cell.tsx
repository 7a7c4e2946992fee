import { useTenantId } from "#components/kit/member.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { formatShortDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import type { BoardPeriod } from "#lib/matching/closing-board/contract.ts";
import { signersText } from "./signers.ts";
import { StateLabel } from "./state.tsx";

/** A period on the board: its state and signers, when it is due, and what is open. */
export function PeriodCell({ period }: { period: BoardPeriod }) {
  const tenant = useTenantId();
  const { reconciliation_id, name, state, due_day, overdue, open_lines, oldest_days } = period;
  const signers = signersText(period);
  const isDue = due_day !== null && state !== "closed" && state !== "archived";
  return (
    <div className="relative flex flex-col rounded-md px-2 py-1.5 text-xs has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:outline-focus">
      <RowLink
        to={`/${tenant}/reconciliations/${reconciliation_id}`}
        title={name}
        className="text-sm font-medium"
      >
        <StateLabel state={state} />
        <span className="sr-only">, {name}</span>
      </RowLink>
      {signers && <span className="wrap-anywhere text-muted">{signers}</span>}
      {isDue && (
        <span className={overdue ? "font-medium text-danger-text" : "text-muted"}>
          {overdue ? "Overdue since " : "Due "}
          {formatShortDay(`${due_day}T00:00:00Z`, "UTC")}
        </span>
      )}
      {open_lines > 0 && (
        <span className="text-muted">
          {pluralize(open_lines, "open line")}
          {oldest_days !== null && oldest_days > 0 && <>, oldest {pluralize(oldest_days, "day")}</>}
        </span>
      )}
      {moneyOf(period).map((money) => (
        <span key={money} className="tabular-nums">
          {money}
        </span>
      ))}
    </div>
  );
}

/** "€4,850.00 left", by currency and side. */
function moneyOf({ open_money }: BoardPeriod): string[] {
  return open_money.map(
    ({ currency, side, open_minor }) => `${formatMoney(open_minor, currency)} ${side}`,
  );
}
