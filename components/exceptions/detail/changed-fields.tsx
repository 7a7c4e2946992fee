"use client";

import type { z } from "zod";
import { DataValue } from "#components/kit/data-fields.tsx";
import { personName } from "#components/people/person.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Time } from "#components/ui/time.tsx";
import { STATUSES } from "#lib/exceptions/contract.ts";
import type { listExceptionHistoryContract } from "#lib/exceptions/history/contract.ts";
import { CHOICE_NAMES, choiceFieldOf, fieldLabel } from "../fields.tsx";
import { reasonLabel, STATUS_LABELS } from "../labels.tsx";
import { CalendarName, ReconciliationName } from "../names.tsx";

export type Change = z.output<typeof listExceptionHistoryContract.response>["items"][number];

/** The old and new value of each changed field, with names instead of IDs. */
export function ChangedFields({
  changes,
  currency,
}: {
  changes: Change["changes"];
  /** The exception's, for amounts whose currency didn't change with them. */
  currency: string | null;
}) {
  const currencyOf = (which: "from" | "to") => {
    const changed = changes.currency?.[which];
    return typeof changed === "string" ? changed : currency;
  };
  return (
    <dl className="mt-1 flex flex-col gap-1">
      {Object.entries(changes).map(([field, { from, to }]) => (
        <div key={field} className="wrap-break-word">
          <dt className="inline font-medium">{fieldLabel(field)}: </dt>
          <dd className="inline">
            <span className="sr-only">from </span>
            <Value field={field} value={from} currency={currencyOf("from")} />
            <span aria-hidden className="text-muted">
              {" → "}
            </span>
            <span className="sr-only"> to </span>
            <Value field={field} value={to} currency={currencyOf("to")} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({
  field,
  value,
  currency,
}: {
  field: string;
  value: unknown;
  currency: string | null;
}) {
  if (value === null) return <span className="text-muted">none</span>;
  if (field === "amount_minor" && typeof value === "number" && currency !== null)
    return formatMoney(value, currency);
  if (typeof value !== "string") return <DataValue value={value} />;
  if (field.endsWith("_at") || field === "paused_until") return <Time iso={value} />;
  if (field === "assigned_to") return personName(value);
  if (field === "reconciliation_id") return <ReconciliationName id={value} />;
  if (field === "calendar_id") return <CalendarName id={value} />;
  if (field === "reason_code") return reasonLabel(value);
  const choice = CHOICE_NAMES.find((name) => name === field);
  if (choice) return choiceFieldOf(choice).labels[value] ?? value;
  const status = field === "status" && STATUSES.find((status) => status === value);
  return status ? STATUS_LABELS[status] : value;
}
