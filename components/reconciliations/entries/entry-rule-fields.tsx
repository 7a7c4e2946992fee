"use client";

import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { focusOnMount } from "#components/ui/focus-on-mount.ts";
import { TextField } from "#components/ui/text-field.tsx";
import type { EntryKind } from "#lib/entries/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { isEmpty, type RuleDraft } from "./draft.ts";
import { KIND_LABELS, kindHint } from "./labels.ts";

const FIELDS = [
  ["account", "Account", 100],
  ["counter_account", "Counter account", 100],
  ["tax_code", "Tax code", 50],
  ["cost_center", "Cost centre", 100],
] as const;
const TEXT_MAX = 200;

/** The fields of one kind's rule, shown once it has a rule or the user adds one. */
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
  const [wasPressed, setPressed] = useState(false);
  const [hadRule] = useState(!isEmpty(rule));
  const opened = hadRule || wasPressed;
  const name = KIND_LABELS[kind];
  return (
    <div className="py-3 first:pt-0 last:pb-0">
      <fieldset disabled={readOnly} className="min-w-0">
        <legend className="sr-only">{name}</legend>
        <div className="flex items-center justify-between gap-4">
          <div className="min-w-0">
            <p aria-hidden className="text-sm font-semibold">
              {name}
            </p>
            <p className="text-xs text-muted">{kindHint(kind, left_source, right_source)}.</p>
          </div>
          {!opened && readOnly && <p className="shrink-0 text-sm text-muted">Nothing is posted</p>}
          {!opened && !readOnly && (
            <Button size="sm" className="shrink-0" onClick={() => setPressed(true)}>
              <Plus aria-hidden className="size-4 text-muted" />
              Set accounts<span className="sr-only"> of {name}</span>
            </Button>
          )}
        </div>
        {opened && (
          <div className="grid gap-x-4 gap-y-3 pt-2 @lg:grid-cols-4">
            {FIELDS.map(([field, label, max], at) => (
              <TextField
                key={field}
                ref={at === 0 && wasPressed ? focusOnMount : undefined}
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
        )}
      </fieldset>
    </div>
  );
}
