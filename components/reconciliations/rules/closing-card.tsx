import { Card } from "#components/kit/card.tsx";
import { MoneyField } from "#components/kit/money-field.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { CHECK_WEIGHTS, POLICY_CHECKS } from "#lib/matching/sign-off/contract.ts";
import { EACH_CURRENCY, type PairCurrency } from "../pair-currency.ts";
import type { RulesDraft } from "./sentence.ts";

type Check = (typeof POLICY_CHECKS)[number];
type Weight = (typeof CHECK_WEIGHTS)[number];

const CHECK_LABELS: Record<Check, string> = {
  period_over: "The period is over",
  files: "Files of both sides are in",
  balances: "All balances are known, and statements continue one another",
  suggestions: "No suggestions are waiting",
  exceptions: "No exceptions are open",
  difference: "Nothing is unexplained",
  evidence: "Required evidence is there",
};

const WEIGHT_LABELS: Record<Weight, string> = {
  block: "Block",
  warn: "Warn",
  ignore: "Ignore",
};

const CLOSE_DAYS_MAX = 60;

const LEVEL_LABELS = ["No review", "One review", "Two reviews", "Three reviews"];

/** The requirements of a close of this pair: a second person, reviews, and checks that pass. */
export function ClosingCard({
  draft,
  currency,
  readOnly,
  onChange,
}: {
  draft: RulesDraft;
  currency: PairCurrency;
  readOnly: boolean;
  onChange: (change: Partial<RulesDraft>) => void;
}) {
  return (
    <Card title="Closing" hint="What a period needs before it is signed and closed.">
      <CheckField
        label="Require someone else to close: not anyone who matched, wrote off, excluded or undid"
        checked={draft.four_eyes}
        disabled={readOnly}
        onChange={({ target }) => onChange({ four_eyes: target.checked })}
      />
      <div className="grid gap-x-6 gap-y-3 @lg:grid-cols-2">
        <SelectField
          label="Reviews after a period is prepared"
          value={String(draft.review_levels)}
          disabled={readOnly}
          onChange={({ target }) => onChange({ review_levels: Number(target.value) })}
        >
          {LEVEL_LABELS.map((label, levels) => (
            <option key={label} value={levels}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Business days until a close is due"
          type="number"
          min={0}
          max={CLOSE_DAYS_MAX}
          value={draft.close_days}
          disabled={readOnly}
          onChange={({ target }) =>
            onChange({
              close_days: Math.min(
                CLOSE_DAYS_MAX,
                Math.max(0, Math.trunc(target.valueAsNumber || 0)),
              ),
            })
          }
        />
        <MoneyField
          label={`Evidence for adjustments by hand from${currency.isOnly ? `, ${currency.code}` : ""}`}
          hint={`${currency.isOnly ? "" : `${EACH_CURRENCY} `}Leave empty if none needs evidence.`}
          currency={currency.code}
          value={draft.evidence_from_minor}
          disabled={readOnly}
          onChange={(evidence_from_minor) => onChange({ evidence_from_minor })}
        />
      </div>
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="mb-1 text-sm font-semibold">Checks before signing and closing</legend>
        <p className="text-sm text-muted">
          What happens while a check fails: it blocks, it warns, or it is ignored.
        </p>
        <div className="grid gap-x-6 gap-y-3 @lg:grid-cols-2">
          {POLICY_CHECKS.map((check) => (
            <SelectField
              key={check}
              label={CHECK_LABELS[check]}
              value={draft.checks[check]}
              disabled={readOnly}
              onChange={({ target }) =>
                onChange({ checks: { ...draft.checks, [check]: target.value as Weight } })
              }
            >
              {CHECK_WEIGHTS.map((weight) => (
                <option key={weight} value={weight}>
                  {WEIGHT_LABELS[weight]}
                </option>
              ))}
            </SelectField>
          ))}
        </div>
      </fieldset>
    </Card>
  );
}
