import { Check, CircleSlash, EqualApproximately, Minus, X } from "lucide-react";
import { classes } from "#components/ui/classes.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { MatchExplanation } from "#lib/matching/contract.ts";
import { matchFieldLabel, matchValueText, VERDICT_LABELS } from "./match-labels.ts";
import { WeightBar } from "./weight-bar.tsx";

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

/** What agrees and what differs between the lines of a match, with the weight of each field. */
export function MatchEvidence({
  fields,
  currency,
}: {
  fields: MatchExplanation["fields"];
  currency: string;
}) {
  const maxWeight = Math.max(1, ...fields.map(({ weight }) => Math.abs(weight ?? 0)));
  const weighed = fields.some(({ weight }) => weight !== null);
  return (
    <>
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
          {fields.map((field) => (
            <FieldRow
              key={field.field}
              field={field}
              maxWeight={maxWeight}
              weighed={weighed}
              currency={currency}
            />
          ))}
        </tbody>
      </table>
      {weighed && (
        <p className="pt-1.5 text-xs text-muted">
          How much each field speaks for (+) or against (−) the match.
        </p>
      )}
    </>
  );
}

function FieldRow({
  field: { field, left, right, verdict, weight },
  maxWeight,
  weighed,
  currency,
}: {
  field: MatchExplanation["fields"][number];
  maxWeight: number;
  weighed: boolean;
  currency: string;
}) {
  const Icon = ICONS[verdict];
  return (
    <tr className="border-b border-line align-top last:border-0">
      <th scope="row" className="w-25 py-1.5 pr-2 text-left font-normal">
        <span className="block text-muted">{matchFieldLabel(field)}</span>
        <span
          data-tone={TONES[verdict]}
          className="inline-flex items-center gap-1 text-xs font-medium text-tone-ink"
        >
          <Icon aria-hidden className="size-3" strokeWidth={2.5} />
          {VERDICT_LABELS[verdict]}
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
            <WeightBar weight={weight} max={maxWeight} />
          )}
        </td>
      )}
    </tr>
  );
}

/** `side` is null if both sides have the same value. */
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
  const valueLabel = text === null ? "None" : matchValueText(field, text, currency);
  return (
    <span
      className={classes("line-clamp-2 wrap-anywhere tabular-nums", text === null && "text-muted")}
      title={valueLabel}
    >
      {side && <span className="sr-only">{side}: </span>}
      {valueLabel}
    </span>
  );
}

/** "€2.50 of €5.00 · 2 of 3 days": what a match used of its rule's tolerance. */
export function toleranceText(
  {
    amount_used_minor,
    amount_allowed_minor,
    days,
    days_before,
    days_after,
  }: NonNullable<MatchExplanation["tolerance"]>,
  currency: string,
): string {
  const allowed = days < 0 ? days_before : days_after;
  const used = Math.abs(Number(amount_used_minor));
  const amounts =
    amount_allowed_minor > 0
      ? `${formatMoney(used, currency)} of ${formatMoney(amount_allowed_minor, currency)} · `
      : "";
  const unit = Math.abs(days) === 1 && allowed === null ? "day" : "days";
  return `${amounts}${Math.abs(days)}${allowed === null ? "" : ` of ${allowed}`} ${unit}`;
}
