import { CircleCheck, CircleDot, CircleSlash } from "lucide-react";
import type { ComponentType } from "react";
import type { SEVERITIES, SLA_SORTS, STATUSES } from "#lib/exceptions/contract.ts";

export type Severity = (typeof SEVERITIES)[number];
export type Status = (typeof STATUSES)[number];

export const SEVERITY_WORDS: Record<Severity, string> = { critical: "Critical", high: "High", medium: "Medium", low: "Low" };
export const STATUS_WORDS: Record<Status, string> = { open: "Open", in_review: "In review", resolved: "Resolved", dismissed: "Dismissed" };
/** By the time left: high and medium are severities. */
export const RISK_WORDS = { breached: "Breached", at_risk: "At risk", high: "< 1 h", medium: "1–4 h", low: "On track" } as const;
export const SORT_WORDS: Record<(typeof SLA_SORTS)[number], string> = {
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
      <svg viewBox="0 0 14 12" aria-hidden="true" className="h-3 w-3.5 shrink-0">
        <path d={barsOf(1, BARS[severity])} className="fill-ink" />
        <path d={barsOf(BARS[severity] + 1, 4)} className="fill-ink/20" />
      </svg>
      {SEVERITY_WORDS[severity]}
    </span>
  );
}

/** Few elements: a board has hundreds of them. */
function barsOf(from: number, to: number): string {
  const bars = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  return bars.map((bar) => `M${((bar - 1) * 3.7).toFixed(1)} ${12 - bar * 3}h2.6v${bar * 3}h-2.6z`).join("");
}

/** As lucide's, whose eight dashes are eight elements. */
function DashedCircle({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true" className={className}>
      <circle cx="12" cy="12" r="10" strokeDasharray="4.6 3.25" strokeDashoffset="2.3" />
    </svg>
  );
}

const STATUS_ICONS: Record<Status, ComponentType<{ className: string }>> = {
  open: DashedCircle,
  in_review: CircleDot,
  resolved: CircleCheck,
  dismissed: CircleSlash,
};

export function StatusLabel({ status }: { status: Status }) {
  const Icon = STATUS_ICONS[status];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon className="size-3.5 text-muted" />
      {STATUS_WORDS[status]}
    </span>
  );
}
