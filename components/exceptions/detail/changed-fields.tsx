"use client";

import type { z } from "zod";
import { DataValue } from "#components/kit/data-fields.tsx";
import { personName } from "#components/people/person.tsx";
import { Time } from "#components/ui/time.tsx";
import { STATUSES } from "#lib/exceptions/contract.ts";
import type { listExceptionHistoryContract } from "#lib/exceptions/history/contract.ts";
import { STATUS_LABELS } from "../labels.tsx";
import { CalendarName, ReconciliationName } from "../names.tsx";

export type Change = z.output<typeof listExceptionHistoryContract.response>["items"][number];

const FIELD_LABELS: Record<string, string> = {
  paused_at: "Paused",
  paused_until: "Paused until",
  pause_reason: "Pause reason",
  calendar_id: "Calendar",
  title: "Title",
  severity: "Severity",
  assigned_to: "Assignee",
  due_at: "Due",
  status: "Status",
  reason_code: "Reason",
  amount_minor: "Amount in minor units",
  currency: "Currency",
  reconciliation_id: "Reconciliation",
  details: "Details",
  resolution: "Resolution",
  closed_at: "Closed",
};

/** The old and new value of each changed field, with names instead of IDs. */
export function ChangedFields({ changes }: { changes: Change["changes"] }) {
  return (
    <dl className="mt-1 flex flex-col gap-1">
      {Object.entries(changes).map(([field, { from, to }]) => (
        <div key={field} className="wrap-break-word">
          <dt className="inline font-medium">{FIELD_LABELS[field] ?? field}: </dt>
          <dd className="inline">
            <span className="sr-only">from </span>
            <Value field={field} value={from} />
            <span aria-hidden className="text-muted">
              {" → "}
            </span>
            <span className="sr-only"> to </span>
            <Value field={field} value={to} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ field, value }: { field: string; value: unknown }) {
  if (value === null) return <span className="text-muted">none</span>;
  if (typeof value !== "string") return <DataValue value={value} />;
  if (field.endsWith("_at") || field === "paused_until") return <Time iso={value} />;
  if (field === "assigned_to") return personName(value);
  if (field === "reconciliation_id") return <ReconciliationName id={value} />;
  if (field === "calendar_id") return <CalendarName id={value} />;
  const status = field === "status" && STATUSES.find((one) => one === value);
  return status ? STATUS_LABELS[status] : value;
}
