import { TextField } from "#components/ui/text-field.tsx";
import type { EntryKind } from "#lib/entries/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import type { RuleDraft } from "./draft.ts";
import { KIND_LABELS, kindHint } from "./labels.ts";

const FIELDS = [
  ["account", "Account", 100],
  ["counter_account", "Counter account", 100],
  ["tax_code", "Tax code", 50],
  ["cost_center", "Cost centre", 100],
] as const;
const TEXT_MAX = 200;

/** The fields of one kind's rule. */
export function EntryRuleFields({
  kind,
  rule,
  faults,
  reconciliation: { left_source, right_source },
  readOnly,
  onChange,
}: {
  kind: EntryKind;
  rule: RuleDraft;
  faults: Partial<Record<keyof RuleDraft, string>>;
  reconciliation: Reconciliation;
  readOnly: boolean;
  onChange: (part: Partial<RuleDraft>) => void;
}) {
  return (
    <div className="py-4 first:pt-0 last:pb-0">
      <fieldset disabled={readOnly} className="min-w-0">
        <legend className="text-sm font-semibold">{KIND_LABELS[kind]}</legend>
        <p className="pb-2 text-xs text-muted">{kindHint(kind, left_source, right_source)}.</p>
        <div className="grid gap-x-4 gap-y-3 @lg:grid-cols-4">
          {FIELDS.map(([field, label, max]) => (
            <TextField
              key={field}
              label={label}
              maxLength={max}
              value={rule[field]}
              error={faults[field]}
              onChange={({ target }) => onChange({ [field]: target.value })}
            />
          ))}
          <div className="@lg:col-span-4">
            <TextField
              label="Text"
              maxLength={TEXT_MAX}
              placeholder="{kind} {reference}"
              value={rule.text}
              error={faults.text}
              onChange={({ target }) => onChange({ text: target.value })}
            />
          </div>
        </div>
      </fieldset>
    </div>
  );
}
