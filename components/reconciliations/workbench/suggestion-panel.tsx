"use client";

import { Sparkles } from "lucide-react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { formatMoney } from "#components/ui/money.ts";
import type { OpenLine } from "#lib/matching/work/contract.ts";
import { OptionList, SuggestionCard } from "./suggestion-card.tsx";
import type { Workbench } from "./use-workbench.ts";

/** What is suggested for the line at hand, or what was picked instead. */
export function SuggestionPanel({
  bench,
  lines,
  currency,
}: {
  bench: Workbench;
  id: string;
  lines: readonly OpenLine[];
  currency: string;
}) {
  const { options, option, choice, picked, isLooking, failure, line } = bench;
  return (
    <section
      aria-label="Suggestions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where it has little room, by keyboard too
      tabIndex={0}
      className="flex min-h-0 shrink-0 flex-col gap-3 overflow-y-auto border-line bg-canvas p-3 max-xl:max-h-[45%] max-xl:border-t max-md:max-h-none xl:w-96 xl:border-l"
    >
      {picked.size > 0 ? (
        <Picked lines={lines} onClear={bench.clear} />
      ) : failure ? (
        <ProblemNote error={failure} />
      ) : options.length > 0 ? (
        <>
          {options.length > 1 && <OptionList options={options} chosen={choice} currency={currency} onChoose={bench.choose} />}
          {option && <SuggestionCard option={option} currency={currency} />}
        </>
      ) : isLooking ? (
        <PartSkeleton label="Looking for counterparts" bars={["h-9 w-full", "h-24 w-full", "h-5 w-2/3"]} />
      ) : (
        line && (
          <div className="flex flex-1 flex-col items-center justify-center gap-2 py-6 text-center text-sm text-muted">
            <Sparkles aria-hidden className="size-5" />
            <p className="font-medium text-ink">No counterpart found</p>
            <p>Nothing open on the other side comes near. Select lines of both sides with X, or exclude this one with E.</p>
          </div>
        )
      )}
    </section>
  );
}

function Picked({ lines, onClear }: { lines: readonly OpenLine[]; onClear: () => void }) {
  return (
    <div className="flex flex-col gap-2 text-sm">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-semibold">Selected by hand</h3>
        <button type="button" onClick={onClear} className="min-h-6 text-accent-text hover:underline">
          Clear
        </button>
      </div>
      <ul className="flex flex-col">
        {lines.map(({ id, side, counterparty, description, reference, open_minor, currency }) => (
          <li key={id} className="flex justify-between gap-3 border-b border-line py-1.5 last:border-0">
            <span className="min-w-0 truncate">
              <span className="text-muted">{side === "left" ? "Left" : "Right"} · </span>
              {counterparty ?? description ?? reference ?? "No text"}
            </span>
            <span className="shrink-0 tabular-nums">{formatMoney(open_minor, currency)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
