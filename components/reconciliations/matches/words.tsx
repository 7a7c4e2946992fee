import { CircleCheck, CircleDashed, CircleSlash, type LucideIcon, Undo2 } from "lucide-react";
import type { Match } from "#lib/matching/contract.ts";

export const MATCH_STATE_LABELS: Record<Match["state"], string> = {
  suggested: "Suggested",
  confirmed: "Confirmed",
  rejected: "Rejected",
  undone: "Undone",
};

export const SHAPE_LABELS: Record<Match["shape"], string> = {
  "1:1": "One to one",
  "1:n": "One to many",
  "n:1": "Many to one",
  "n:m": "Many to many",
  reversal: "Reversal",
};

const ICONS: Record<Match["state"], LucideIcon> = {
  suggested: CircleDashed,
  confirmed: CircleCheck,
  rejected: CircleSlash,
  undone: Undo2,
};

/** For tables, where most rows are alike: without a badge's colour. */
export function MatchState({ state }: { state: Match["state"] }) {
  const Icon = ICONS[state];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon
        aria-hidden
        className={state === "confirmed" ? "size-3.5 text-accent-text" : "size-3.5 text-muted"}
      />
      {MATCH_STATE_LABELS[state]}
    </span>
  );
}

/** The rule that made it, or a person. */
export function methodInWords(method: string): string {
  return method === "manual" ? "By hand" : method;
}
