"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import type { Ref } from "react";
import type { GroupName } from "./board-lines.ts";

const NAMES: Record<GroupName, string> = {
  breached: "Breached",
  high: "Under 1 hour",
  medium: "1 to 4 hours",
  low: "Later",
  paused: "Paused",
};

/** The heading of a risk group. `onToggle` folds or unfolds the breached rows. */
export function BoardGroup({
  group,
  count,
  folded,
  onToggle,
  index,
  span,
  ref,
}: {
  group: GroupName;
  /** As text: "12" or "20,000+". */
  count: string;
  folded: boolean;
  onToggle: (() => void) | null;
  index: number;
  /** The number of columns. */
  span: number;
  ref: Ref<HTMLTableRowElement>;
}) {
  const Chevron = folded ? ChevronRight : ChevronDown;
  const words = (
    <>
      {NAMES[group]}
      <span className="font-normal text-muted tabular-nums">{count}</span>
    </>
  );
  return (
    <tr
      ref={ref}
      data-index={index}
      data-group={group}
      data-risk={group === "paused" ? "low" : group}
      aria-rowindex={index + 2}
      className="flex h-9 items-center border-b border-line bg-canvas"
    >
      <th
        scope="rowgroup"
        colSpan={span}
        className="flex w-full items-center pl-4 text-left text-sm font-semibold"
      >
        {onToggle ? (
          <button
            type="button"
            aria-expanded={!folded}
            onClick={onToggle}
            className="-ml-1 flex h-8 items-center gap-2 rounded-sm px-1 hover:text-ink hover:underline"
          >
            <Chevron aria-hidden className="size-4 text-risk-text" />
            {words}
          </button>
        ) : (
          <span className="flex items-center gap-2">{words}</span>
        )}
      </th>
    </tr>
  );
}
