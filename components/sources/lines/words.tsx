import { CircleCheck, CircleDashed, CircleDot, CircleSlash, type LucideIcon } from "lucide-react";
import { Badge, type Tone } from "#components/ui/badge.tsx";
import type { Line } from "#lib/lines/contract.ts";

export const LINE_STATE_WORDS: Record<Line["state"], string> = {
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

/** For tables, where most rows are alike: without a badge's colour. */
export function LineState({ state }: { state: Line["state"] }) {
  const Icon = ICONS[state];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon
        aria-hidden
        className={state === "matched" ? "size-3.5 text-accent-text" : "size-3.5 text-muted"}
      />
      {LINE_STATE_WORDS[state]}
    </span>
  );
}

export function LineBadge({ state }: { state: Line["state"] }) {
  return (
    <Badge tone={TONES[state]} icon={ICONS[state]}>
      {LINE_STATE_WORDS[state]}
    </Badge>
  );
}
