import { CircleCheck, CirclePause, Hourglass, type LucideIcon, OctagonX, TriangleAlert } from "lucide-react";
import type { BreachRisk } from "./deadline.ts";

const RISKS: Record<BreachRisk, { word: string; icon: LucideIcon }> = {
  breached: { word: "Breached", icon: OctagonX },
  high: { word: "High", icon: TriangleAlert },
  medium: { word: "Medium", icon: Hourglass },
  low: { word: "Low", icon: CircleCheck },
};

const PAUSED = { word: "Paused", icon: CirclePause };

/** `paused`: the clock stands still, whatever the risk was. */
export function RiskBadge({ risk, paused = false }: { risk: BreachRisk; paused?: boolean }) {
  const { word, icon: Icon } = paused ? PAUSED : RISKS[risk];
  return (
    <span
      data-risk={risk}
      className="inline-flex h-6 items-center gap-1.5 rounded-sm border border-risk-badge-line bg-risk-badge pr-2 pl-1.5 text-xs font-semibold text-risk-badge-ink"
    >
      <Icon aria-hidden className="size-3.5" strokeWidth={2.25} />
      {word}
    </span>
  );
}
