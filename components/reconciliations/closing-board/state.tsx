import {
  Archive,
  CircleCheck,
  CircleDashed,
  CircleDot,
  Hourglass,
  type LucideIcon,
  ShieldCheck,
} from "lucide-react";
import type { BoardPeriod } from "#lib/matching/closing-board/contract.ts";

type State = BoardPeriod["state"];

export const STATE_LABELS: Record<State, string> = {
  open: "Open",
  prepared: "Prepared",
  reviewed: "Reviewed",
  closed: "Closed",
  preparing: "Preparing",
  archived: "Archived",
};

const ICONS: Record<State, LucideIcon> = {
  open: CircleDashed,
  prepared: CircleDot,
  reviewed: ShieldCheck,
  closed: CircleCheck,
  preparing: Hourglass,
  archived: Archive,
};

export function StateLabel({ state }: { state: State }) {
  const Icon = ICONS[state];
  return (
    <>
      <Icon aria-hidden className="mr-1.5 inline size-3.5 align-[-2px] text-muted" />
      {STATE_LABELS[state]}
    </>
  );
}
