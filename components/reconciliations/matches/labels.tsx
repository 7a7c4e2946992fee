import { CircleCheck, CircleDashed, CircleSlash, type LucideIcon, Undo2 } from "lucide-react";
import { StateText } from "#components/kit/state-text.tsx";
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

export function MatchState({ state }: { state: Match["state"] }) {
  return (
    <StateText icon={ICONS[state]} isGood={state === "confirmed"}>
      {MATCH_STATE_LABELS[state]}
    </StateText>
  );
}

/** The rule that made it, or a person. */
export function describeMethod(method: string): string {
  return method === "manual" ? "By hand" : method;
}
