import { CircleCheck, CircleDashed, CircleDot, CircleSlash, type LucideIcon } from "lucide-react";
import type { SEVERITIES, SLA_SORTS, STATUSES } from "#lib/exceptions/contract.ts";

export type Severity = (typeof SEVERITIES)[number];
export type Status = (typeof STATUSES)[number];

export const SEVERITY_WORDS: Record<Severity, string> = { critical: "Critical", high: "High", medium: "Medium", low: "Low" };
export const STATUS_WORDS: Record<Status, string> = { open: "Open", in_review: "In review", resolved: "Resolved", dismissed: "Dismissed" };
export const RISK_WORDS = { breached: "Breached", at_risk: "At risk", high: "High", medium: "Medium", low: "On track" } as const;
export const SORT_WORDS: Record<(typeof SLA_SORTS)[number], string> = {
  due_at: "Time left",
  severity: "Severity",
  assigned_to: "Assignee",
  breach_risk: "Risk",
};

const BARS: Record<Severity, number> = { critical: 4, high: 3, medium: 2, low: 1 };

/** Severity as rising bars: colour is reserved for risk. */
export function SeverityLabel({ severity }: { severity: Severity }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg viewBox="0 0 14 12" aria-hidden="true" className="h-3 w-3.5 shrink-0">
        {[1, 2, 3, 4].map((bar) => (
          <rect
            key={bar}
            x={(bar - 1) * 3.7}
            y={12 - bar * 3}
            width="2.6"
            height={bar * 3}
            rx="0.6"
            className={bar <= BARS[severity] ? "fill-ink" : "fill-ink/20"}
          />
        ))}
      </svg>
      {SEVERITY_WORDS[severity]}
    </span>
  );
}

const STATUS_ICONS: Record<Status, LucideIcon> = {
  open: CircleDashed,
  in_review: CircleDot,
  resolved: CircleCheck,
  dismissed: CircleSlash,
};

export function StatusLabel({ status }: { status: Status }) {
  const Icon = STATUS_ICONS[status];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon aria-hidden className="size-3.5 text-muted" />
      {STATUS_WORDS[status]}
    </span>
  );
}
