"use client";

import { Check, CircleSlash, EqualApproximately, Minus, X } from "lucide-react";
import { classes } from "#components/ui/classes.ts";
import { Keys } from "#components/ui/keys.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { percent } from "#components/ui/percent.ts";
import type { MatchExplanation } from "#lib/matching/contract.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import type { Option } from "./options.ts";
import { RunnerUp } from "./runner-up.tsx";
import { WeightBar } from "./weight-bar.tsx";
import { fieldInWords, heldInWords, VERDICT_WORDS, valueInWords } from "./words.ts";

const ICONS = {
  equal: Check,
  close: EqualApproximately,
  similar: EqualApproximately,
  differs: X,
  missing: CircleSlash,
} as const;
const TONES = {
  equal: "good",
  close: "good",
  similar: "info",
  differs: "warning",
  missing: "neutral",
} as const;

/** Why these lines: their fields side by side, the evidence of each, tolerance, runner-up, and why a person decides. */
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
  const most = Math.max(1, ...explanation.fields.map(({ weight }) => Math.abs(weight ?? 0)));
  const weighed = explanation.fields.some(({ weight }) => weight !== null);
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
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">What agrees</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Left and right</th>
            {weighed && <th scope="col">Evidence</th>}
          </tr>
        </thead>
        <tbody>
          {explanation.fields.map((field) => (
            <FieldRow
              key={field.field}
              field={field}
              most={most}
              weighed={weighed}
              currency={currency}
            />
          ))}
        </tbody>
      </table>
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-y-1.5">
        {difference !== 0 && (
          <Told name="Difference">
            <span className="font-medium tabular-nums">{formatMoney(difference, currency)}</span>
            {option.fee_minor === difference
              ? " in fees"
              : option.fee_minor !== 0 &&
                `, of which ${formatMoney(option.fee_minor, currency)} in fees`}
          </Told>
        )}
        <Tolerance tolerance={explanation.tolerance} currency={currency} />
        <Told name="Runner-up">
          <RunnerUp explanation={explanation} loaded={loaded} />
        </Told>
        {explanation.note && <Told name="Note">{explanation.note}</Told>}
        {match_id && explanation.held && (
          <Told name="Why not automatic">{heldInWords(explanation.held)}</Told>
        )}
      </dl>
    </div>
  );
}

function FieldRow({
  field: { field, left, right, verdict, weight },
  most,
  weighed,
  currency,
}: {
  field: MatchExplanation["fields"][number];
  most: number;
  weighed: boolean;
  currency: string;
}) {
  const Icon = ICONS[verdict];
  return (
    <tr className="border-b border-line align-top last:border-0">
      <th scope="row" className="w-25 py-1.5 pr-2 text-left font-normal">
        <span className="block text-muted">{fieldInWords(field)}</span>
        <span
          data-tone={TONES[verdict]}
          className="inline-flex items-center gap-1 text-xs font-medium text-tone-ink"
        >
          <Icon aria-hidden className="size-3" strokeWidth={2.5} />
          {VERDICT_WORDS[verdict]}
        </span>
      </th>
      <td className="py-1.5">
        <Value
          text={left}
          side={left === right ? null : "Left"}
          field={field}
          currency={currency}
        />
        {left !== right && <Value text={right} side="Right" field={field} currency={currency} />}
      </td>
      {weighed && (
        <td className="w-20 py-2 pl-2">
          {weight === null ? (
            <Minus aria-hidden className="ml-auto size-3 text-muted" />
          ) : (
            <WeightBar weight={weight} most={most} />
          )}
        </td>
      )}
    </tr>
  );
}

/** `side`: whose it is; null where both say the same. */
function Value({
  text,
  side,
  field,
  currency,
}: {
  text: string | null;
  side: "Left" | "Right" | null;
  field: string;
  currency: string;
}) {
  const said = text === null ? "None" : valueInWords(field, text, currency);
  return (
    <span
      className={classes("line-clamp-2 wrap-anywhere tabular-nums", text === null && "text-muted")}
      title={said}
    >
      {side && <span className="sr-only">{side}: </span>}
      {said}
    </span>
  );
}

function Tolerance({
  tolerance,
  currency,
}: {
  tolerance: MatchExplanation["tolerance"];
  currency: string;
}) {
  if (!tolerance) return null;
  const { amount_used_minor, amount_allowed_minor, days, days_before, days_after } = tolerance;
  const allowed = days < 0 ? days_before : days_after;
  return (
    <Told name="Tolerance used">
      <span className="tabular-nums">
        {amount_allowed_minor > 0 &&
          `${formatMoney(Math.abs(Number(amount_used_minor)), currency)} of ${formatMoney(amount_allowed_minor, currency)}`}
        {amount_allowed_minor > 0 && " · "}
        {Math.abs(days)}
        {allowed !== null && ` of ${allowed}`}{" "}
        {Math.abs(days) === 1 && allowed === null ? "day" : "days"}
      </span>
    </Told>
  );
}

function Told({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-break-word">{children}</dd>
    </>
  );
}

/** The ways to match the line at hand, by number. */
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
