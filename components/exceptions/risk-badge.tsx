import { Check, X } from "lucide-react";
import { classes } from "#components/ui/classes.ts";
import { RowIcon, type RowIconName } from "./board/row-icons.tsx";
import type { BreachRisk } from "./deadline.ts";
import { RISK_LABELS } from "./labels.tsx";

const ICONS: Record<BreachRisk, RowIconName> = {
  breached: "octagon-x",
  high: "triangle-alert",
  medium: "hourglass",
  low: "circle-check",
};

/**
 * `paused` says that the clock is stopped, whatever the risk was. `quiet` is for rows, which show
 * the colour in their rail.
 */
export function RiskBadge({
  risk,
  paused = false,
  quiet = false,
}: {
  risk: BreachRisk;
  paused?: boolean;
  quiet?: boolean;
}) {
  return (
    <span
      data-risk={risk}
      className={classes(
        "inline-flex h-6 items-center gap-1.5 text-xs",
        quiet
          ? classes(risk === "breached" && !paused ? "font-semibold text-ink" : "text-muted")
          : "rounded-sm border border-risk-badge-line bg-risk-badge " +
              "pr-2 pl-1.5 font-semibold text-risk-badge-ink",
      )}
    >
      <RowIcon
        name={paused ? "circle-pause" : ICONS[risk]}
        className="size-3.5 shrink-0"
        strokeWidth={2.25}
      />
      {paused ? "Paused" : RISK_LABELS[risk]}
    </span>
  );
}

/** Whether a closed exception met its deadline, for a row. */
export function Outcome({ isMet }: { isMet: boolean }) {
  const Icon = isMet ? Check : X;
  return (
    <span
      className={classes(
        "inline-flex h-6 items-center gap-1.5 text-xs",
        isMet ? "text-muted" : "font-semibold text-ink",
      )}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" strokeWidth={2.25} />
      {isMet ? "In time" : "Late"}
    </span>
  );
}
