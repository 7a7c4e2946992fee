import { fieldName } from "#components/kit/field-labels.ts";
import type { SEVERITIES, SLA_SORTS, STATUSES } from "#lib/exceptions/contract.ts";
import { RowIcon, type RowIconName } from "./board/row-icons.tsx";

export type Severity = (typeof SEVERITIES)[number];
export type Status = (typeof STATUSES)[number];

export const SEVERITY_LABELS: Record<Severity, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
};
export const STATUS_LABELS: Record<Status, string> = {
  open: "Open",
  in_review: "In review",
  resolved: "Resolved",
  dismissed: "Dismissed",
};
/** Named by the time left, because high and medium are severities. */
export const RISK_LABELS = {
  breached: "Breached",
  at_risk: "At risk",
  high: "< 1 h",
  medium: "1–4 h",
  low: "On track",
} as const;
/** Why matching left lines open. Other reasons are free text from the API. */
const REASON_LABELS: Record<string, string> = {
  missing_counterpart: "No counterpart",
  amount_differs: "Amount differs",
  outside_window: "Outside the date window",
  duplicate: "Possible duplicate",
  group_incomplete: "Group incomplete",
  currency_differs: "Currency differs",
  ambiguous: "Several candidates",
  late_arrival: "Arrived after closing",
};

/** "missing_counterpart" → "No counterpart", "bank_holiday" → "Bank holiday". */
export function reasonLabel(code: string): string {
  return REASON_LABELS[code] ?? fieldName(code);
}

export const SORT_LABELS: Record<(typeof SLA_SORTS)[number], string> = {
  due_at: "Time left",
  severity: "Severity",
  assigned_to: "Assignee",
  breach_risk: "Risk",
  amount: "Money at risk",
};

const BARS: Record<Severity, number> = { critical: 4, high: 3, medium: 2, low: 1 };

/** Severity as rising bars: colour is reserved for risk. */
export function SeverityLabel({ severity }: { severity: Severity }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <SeverityParts severity={severity} />
    </span>
  );
}

/** For use within an existing flex box. */
export function SeverityParts({ severity }: { severity: Severity }) {
  return (
    <>
      <svg viewBox="0 0 14 12" aria-hidden="true" className="h-3 w-3.5 shrink-0">
        <path d={barsOf(1, BARS[severity])} className="fill-ink" />
        <path d={barsOf(BARS[severity] + 1, 4)} className="fill-ink/20" />
      </svg>
      {SEVERITY_LABELS[severity]}
    </>
  );
}

/** One path for all bars, because a board has hundreds of them. */
function barsOf(from: number, to: number): string {
  const bars = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  return bars
    .map((bar) => `M${((bar - 1) * 3.7).toFixed(1)} ${12 - bar * 3}h2.6v${bar * 3}h-2.6z`)
    .join("");
}

const STATUS_ICONS: Record<Status, RowIconName> = {
  open: "circle-dashed",
  in_review: "circle-dot",
  resolved: "circle-check",
  dismissed: "circle-slash",
};

export function StatusLabel({ status }: { status: Status }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <StatusParts status={status} />
    </span>
  );
}

/** For use within an existing flex box. */
export function StatusParts({ status }: { status: Status }) {
  return (
    <>
      <RowIcon name={STATUS_ICONS[status]} className="size-3.5 shrink-0 text-muted" />
      {STATUS_LABELS[status]}
    </>
  );
}
