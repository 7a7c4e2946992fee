import { CircleCheck, CircleDashed, CircleDot, CircleSlash, type LucideIcon } from "lucide-react";
import { StateText } from "#components/kit/state-text.tsx";
import { Badge, type Tone } from "#components/ui/badge.tsx";
import type { Line } from "#lib/lines/contract.ts";

export const LINE_STATE_LABELS: Record<Line["state"], string> = {
  open: "Open",
  partly_matched: "Partly matched",
  matched: "Matched",
  excluded: "Excluded",
};

const ICONS: Record<Line["state"], LucideIcon> = {
  open: CircleDashed,
  partly_matched: CircleDot,
  matched: CircleCheck,
  excluded: CircleSlash,
};

const TONES: Record<Line["state"], Tone> = {
  open: "neutral",
  partly_matched: "info",
  matched: "good",
  excluded: "neutral",
};

export function LineState({ state }: { state: Line["state"] }) {
  return (
    <StateText icon={ICONS[state]} isGood={state === "matched"}>
      {LINE_STATE_LABELS[state]}
    </StateText>
  );
}

export function LineBadge({ state }: { state: Line["state"] }) {
  return (
    <Badge tone={TONES[state]} icon={ICONS[state]}>
      {LINE_STATE_LABELS[state]}
    </Badge>
  );
}
