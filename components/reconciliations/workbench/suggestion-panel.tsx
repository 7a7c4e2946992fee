"use client";

import { Repeat, Sparkles, TriangleAlert } from "lucide-react";
import { lineName } from "#components/kit/line-name.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button } from "#components/ui/button.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { OptionList, SuggestionCard } from "./suggestion-card.tsx";
import type { Workbench } from "./use-workbench.ts";

/** The suggestions for the current line, or the selected lines instead. */
export function SuggestionPanel({
  bench,
  lines,
  currency,
  mayWrite,
  onAlways,
}: {
  bench: Workbench;
  lines: readonly OpenLine[];
  currency: string;
  /** Matches manually and excludes. */
  mayWrite: boolean;
  /** Drafts a rule from the suggestion; false if the rules can't be changed. */
  onAlways: (() => void) | false;
}) {
  const { options, option, choice, picked, isSearching, failure, line } = bench;
  return (
    <section
      aria-label="Suggestions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where it has little room, by keyboard too
      tabIndex={0}
      className="relative flex min-h-0 shrink-0 flex-col gap-3 overflow-y-auto border-line bg-canvas p-3 max-xl:max-h-[45%] short:max-xl:max-h-[35%] max-xl:border-t max-md:max-h-none xl:w-96 xl:border-l 2xl:w-112"
    >
      {picked.size > 0 ? (
        <Picked lines={lines} onClear={bench.clear} />
      ) : failure ? (
        <ProblemNote error={failure} />
      ) : options.length > 0 ? (
        <>
          {options.length > 1 && (
            <OptionList
              options={options}
              chosen={choice}
              currency={currency}
              onChoose={bench.choose}
            />
          )}
          {option && (
            <SuggestionCard
              option={option}
              currency={currency}
              loaded={[...bench.left.items, ...bench.right.items]}
            />
          )}
          {option && onAlways && (
            <Button size="sm" onClick={onAlways} className="self-start">
              <Repeat aria-hidden className="size-4 text-muted" />
              Always do this…
            </Button>
          )}
        </>
      ) : isSearching ? (
        <PartSkeleton
          label="Looking for counterparts"
          bars={["h-9 w-full", "h-24 w-full", "h-5 w-2/3"]}
        />
      ) : (
        line && (
          <div className="flex flex-1 flex-col items-center justify-center gap-2 py-6 text-center text-sm text-muted">
            <Sparkles aria-hidden className="size-5" />
            <p className="font-medium text-ink">No counterpart found</p>
            <p>
              No open line on the other side is similar.
              {mayWrite && " Select lines of both sides with X, or exclude this one with E."}
            </p>
          </div>
        )
      )}
      {picked.size === 0 && line?.exception_id && <OpenException id={line.exception_id} />}
    </section>
  );
}

function OpenException({ id }: { id: string }) {
  const tenant = useTenantId();
  return (
    <p className="flex gap-2 border-t border-line pt-3 text-sm text-muted">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        <PrefetchLink
          href={`/${tenant}/exceptions?exception=${id}`}
          className="text-accent-text underline underline-offset-2"
        >
          An exception is open
        </PrefetchLink>{" "}
        for this line. Matching the line resolves it.
      </span>
    </p>
  );
}

function Picked({ lines, onClear }: { lines: readonly OpenLine[]; onClear: () => void }) {
  return (
    <div className="flex flex-col gap-2 text-sm">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-semibold">Selected by hand</h3>
        <button
          type="button"
          onClick={onClear}
          className="min-h-6 text-accent-text hover:underline"
        >
          Clear
        </button>
      </div>
      <ul className="flex flex-col">
        {lines.map((line) => (
          <li
            key={line.id}
            className="flex justify-between gap-3 border-b border-line py-1.5 last:border-0"
          >
            <span className="min-w-0 truncate">
              <span className="text-muted">{line.side === "left" ? "Left" : "Right"} · </span>
              {lineName(line)}
            </span>
            <span className="shrink-0 tabular-nums">
              {formatMoney(line.open_minor, line.currency)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
