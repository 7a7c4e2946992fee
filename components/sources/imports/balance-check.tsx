import { CircleCheck, TriangleAlert } from "lucide-react";
import { Fragment } from "react";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import type { Import } from "#lib/imports/contract.ts";

type Statement = Import["statements"][number];

const SHOWN_MAX = 12;

/**
 * Whether opening balance + lines = closing balance, for each statement in a file. `currency`: for
 * statements that name none.
 */
export function BalanceCheck({
  statements,
  currency,
}: {
  statements: readonly Statement[];
  currency: string;
}) {
  const checked = statements.filter(
    ({ balance_holds, control_totals_hold }) =>
      balance_holds !== null || control_totals_hold !== null,
  );
  if (checked.length === 0) return null;
  const failing = checked.filter(failed);
  const visible = [...failing, ...checked.filter((statement) => !failed(statement))].slice(
    0,
    SHOWN_MAX,
  );
  return (
    <section aria-label="Balance check" className="flex flex-col gap-3">
      {visible.map((statement, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file may repeat a statement
        <Check key={index} statement={statement} currency={statement.currency ?? currency} />
      ))}
      {checked.length > visible.length && (
        <p className="text-sm text-muted">
          and {pluralize(checked.length - visible.length, "more statement")}.
        </p>
      )}
    </section>
  );
}

function failed({ balance_holds, control_totals_hold }: Statement): boolean {
  return balance_holds === false || control_totals_hold === false;
}

function Check({ statement, currency }: { statement: Statement; currency: string }) {
  const {
    account,
    id,
    period_start,
    period_end,
    opening_balance_minor,
    closing_balance_minor,
    sum_minor,
    line_count,
  } = statement;
  const wrong = failed(statement);
  const days = [...new Set([period_start, period_end])]
    .filter((day) => day !== null)
    .map((day) => formatDay(day, "UTC"));
  const about = [account, id && `No. ${id}`, days.join(" – ")].filter(Boolean).join(" · ");
  const sum = Number(sum_minor);
  return (
    <div
      data-tone={wrong ? "warning" : "good"}
      className="rounded-lg border border-tone-line bg-raised text-sm"
    >
      <p className="flex items-start gap-2 rounded-t-lg border-b border-tone-line bg-tone-soft px-3 py-2 font-medium text-tone-ink">
        {wrong ? (
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        ) : (
          <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        )}
        <span className="min-w-0 flex-1">
          {verdict(statement, currency)}
          {about && <span className="block font-normal wrap-anywhere">{about}</span>}
        </span>
      </p>
      <dl className="grid grid-cols-[1fr_auto] gap-y-1 px-3 py-2.5 tabular-nums">
        {opening_balance_minor !== null && (
          <Sum name="Opening balance" value={formatMoney(opening_balance_minor, currency)} />
        )}
        <Sum
          name={pluralize(line_count, "line")}
          value={`${sum < 0 ? "" : "+"}${formatMoney(sum, currency)}`}
        />
        {opening_balance_minor !== null && closing_balance_minor !== null && (
          <Sum
            name="Opening + lines"
            value={formatMoney(opening_balance_minor + sum, currency)}
            ruled
          />
        )}
        {closing_balance_minor !== null && (
          <Sum name="Closing balance" value={formatMoney(closing_balance_minor, currency)} />
        )}
      </dl>
    </div>
  );
}

function verdict(
  {
    balance_holds,
    control_totals_hold,
    opening_balance_minor,
    closing_balance_minor,
    sum_minor,
  }: Statement,
  currency: string,
): string {
  if (balance_holds === false) {
    const gap = (closing_balance_minor ?? 0) - (opening_balance_minor ?? 0) - Number(sum_minor);
    return `The balances don't add up: ${formatMoney(Math.abs(gap), currency)} ${gap > 0 ? "is missing" : "too much"}`;
  }
  if (control_totals_hold === false) return "The file's own totals don't match its lines";
  return balance_holds
    ? "Opening balance + lines = closing balance"
    : "The file's own totals match its lines";
}

function Sum({ name, value, ruled = false }: { name: string; value: string; ruled?: boolean }) {
  const rule = ruled ? "border-t border-line pt-1" : "";
  return (
    <Fragment>
      <dt className={`text-muted ${rule}`}>{name}</dt>
      <dd className={`text-right ${rule}`}>{value}</dd>
    </Fragment>
  );
}
