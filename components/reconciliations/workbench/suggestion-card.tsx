"use client";

import { MatchEvidence, toleranceText } from "#components/kit/match-evidence.tsx";
import { heldReason } from "#components/kit/match-labels.ts";
import { Keys } from "#components/ui/keys.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { percent } from "#components/ui/percent.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import type { Option } from "./options.ts";
import { RunnerUp } from "./runner-up.tsx";

/** A suggestion's evidence, tolerance and runner-up, and why it isn't matched automatically. */
export function SuggestionCard({
  option,
  currency,
  loaded,
}: {
  option: Option;
  currency: string;
  loaded: readonly OpenLine[];
}) {
  const { explanation, method, score, match_id } = option;
  const difference = option.left_minor - option.right_minor;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <p className="font-medium">
          {method}
          <span className="font-normal text-muted">
            {" "}
            · {match_id ? "suggested by the last run" : "found for this line"}
          </span>
        </p>
        {score !== null && <p className="font-semibold tabular-nums">{percent(score)}</p>}
      </div>
      <MatchEvidence fields={explanation.fields} currency={currency} />
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-y-1.5">
        {difference !== 0 && (
          <LabelledFact name="Difference">
            <span className="font-medium tabular-nums">{formatMoney(difference, currency)}</span>
            {option.fee_minor === difference
              ? " in fees"
              : option.fee_minor !== 0 &&
                `, of which ${formatMoney(option.fee_minor, currency)} in fees`}
          </LabelledFact>
        )}
        {explanation.tolerance && (
          <LabelledFact name="Tolerance used">
            <span className="tabular-nums">{toleranceText(explanation.tolerance, currency)}</span>
          </LabelledFact>
        )}
        <LabelledFact name="Runner-up">
          <RunnerUp explanation={explanation} loaded={loaded} />
        </LabelledFact>
        {explanation.note && <LabelledFact name="Note">{explanation.note}</LabelledFact>}
        {match_id && explanation.held && (
          <LabelledFact name="Why not automatic">{heldReason(explanation.held)}</LabelledFact>
        )}
      </dl>
    </div>
  );
}

function LabelledFact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-break-word">{children}</dd>
    </>
  );
}

/** The ways to match the current line, numbered. */
export function OptionList({
  options,
  chosen,
  currency,
  onChoose,
}: {
  options: readonly Option[];
  chosen: number;
  currency: string;
  onChoose: (index: number) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="sr-only">Suggestions</legend>
      {options.map(({ key, method, score, left_minor, right_minor, line_ids }, index) => {
        const difference = left_minor - right_minor;
        return (
          <label
            key={key}
            className="flex min-h-9 cursor-pointer items-center gap-2 rounded-md border border-line px-2 py-1 text-sm hover:bg-hover has-checked:border-accent-text has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name="suggestion"
              checked={index === chosen}
              onChange={() => onChoose(index)}
              className="sr-only"
            />
            <Keys keys={[String(index + 1)]} />
            <span className="min-w-0 flex-1 truncate">
              {method}
              {line_ids.length > 2 && (
                <span className="text-muted"> · {line_ids.length} lines</span>
              )}
            </span>
            {difference !== 0 && (
              <span className="shrink-0 text-xs text-muted tabular-nums">
                {formatMoney(difference, currency)}
              </span>
            )}
            {score !== null && (
              <span className="w-14 shrink-0 text-right tabular-nums">{percent(score)}</span>
            )}
          </label>
        );
      })}
    </fieldset>
  );
}
