"use client";

import { useState } from "react";
import { typedMinor } from "#components/kit/typed-money.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { plainMoney } from "#components/ui/money.ts";
import { Segmented } from "#components/ui/segmented.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { EACH_CURRENCY, type PairCurrency } from "../pair-currency.ts";
import { FIELD_OPTIONS, KIND_LABELS, type Rule } from "./sentence.ts";

const KINDS = (Object.keys(KIND_LABELS) as Rule["kind"][]).map((value) => ({
  value,
  label: KIND_LABELS[value],
}));
const THEN = [
  { value: "match", label: "Match" },
  { value: "suggest", label: "Suggest" },
] as const;
const DAY_KINDS = [
  { value: "calendar", label: "Calendar days" },
  { value: "business", label: "Business days" },
] as const;
const NAME_MAX = 100;
const WHOLE = { type: "number", min: 0, step: 1, inputMode: "numeric" } as const;

type NumberField = "days_before" | "days_after" | "max_group_size";

/** A basis point is a hundredth of a percent. */
const BPS_OF_PERCENT = 100;
const PERCENT_MAX = 100;

/** The fields of one rule. It is saved together with the whole set. */
export function RuleDialog({
  initial,
  currency,
  taken,
  onSave,
  onClose,
}: {
  initial: Rule;
  /** The currency of typed amounts. */
  currency: PairCurrency;
  /** Names of the other rules. */
  taken: readonly string[];
  onSave: (rule: Rule) => void;
  onClose: () => void;
}) {
  const [rule, setRule] = useState(initial);
  const [showsFaults, setShowsFaults] = useState(false);
  const [typed, setTyped] = useState(() => ({
    money: initial.amount_tolerance_minor
      ? plainMoney(initial.amount_tolerance_minor, currency.code)
      : "",
    percent: initial.amount_tolerance_bps
      ? String(initial.amount_tolerance_bps / BPS_OF_PERCENT)
      : "",
  }));
  const change = (part: Partial<Rule>) => setRule((now) => ({ ...now, ...part }));
  const name = rule.name.trim();
  const problem =
    name === ""
      ? "Enter a name."
      : taken.includes(name)
        ? "Another rule has this name."
        : name === "manual"
          ? "Choose another name."
          : undefined;
  const minor = typedMinor(typed.money, currency.code);
  const moneyProblem = Number.isNaN(minor) ? "Enter an amount, such as 1.50." : undefined;
  const percent = typed.percent.trim() === "" ? undefined : Number(typed.percent.replace(",", "."));
  const isPercent = percent === undefined || (percent >= 0 && percent <= PERCENT_MAX);
  const percentProblem = isPercent ? undefined : "Enter a percentage up to 100.";
  const finished = (): Rule => ({
    ...rule,
    name,
    amount_tolerance_minor: minor || undefined,
    amount_tolerance_bps:
      percent === undefined ? undefined : Math.round(percent * BPS_OF_PERCENT) || undefined,
  });
  const number = (field: NumberField) => ({
    ...WHOLE,
    value: rule[field] ?? "",
    onChange: ({ target }: { target: HTMLInputElement }) =>
      change({
        [field]: target.value === "" ? undefined : Math.max(0, Math.floor(Number(target.value))),
      }),
  });
  return (
    <Dialog title={initial.name === "" ? "New rule" : initial.name} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (problem || moneyProblem || percentProblem) setShowsFaults(true);
          else onSave(finished());
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <DialogBody>
          <TextField
            label="Name"
            maxLength={NAME_MAX}
            value={rule.name}
            error={showsFaults ? problem : undefined}
            onChange={({ target }) => change({ name: target.value })}
            required
          />
          <div className="flex shrink-0 flex-col gap-1.5">
            <span className="text-sm font-medium">Kind</span>
            <Segmented
              label="Kind"
              value={rule.kind}
              options={KINDS}
              onChange={(kind) => change({ kind })}
            />
          </div>
          <fieldset className="flex flex-col gap-1">
            <legend className="pb-1 text-sm font-medium">Fields that have to agree</legend>
            <div className="grid grid-cols-2 gap-x-4">
              {FIELD_OPTIONS.map(([field, word]) => (
                <CheckField
                  key={field}
                  label={word.charAt(0).toUpperCase() + word.slice(1)}
                  checked={rule.on?.includes(field) ?? false}
                  onChange={({ target }) =>
                    change({
                      on: target.checked
                        ? [...(rule.on ?? []), field]
                        : (rule.on ?? []).filter((value) => value !== field),
                    })
                  }
                />
              ))}
            </div>
          </fieldset>
          <div className="grid grid-cols-2 gap-3">
            <TextField
              label={`Amount tolerance${currency.isOnly ? `, ${currency.code}` : ""}`}
              hint={!currency.isOnly && EACH_CURRENCY}
              inputMode="decimal"
              placeholder={plainMoney(0, currency.code)}
              value={typed.money}
              error={showsFaults ? moneyProblem : undefined}
              onChange={({ target }) => setTyped((now) => ({ ...now, money: target.value }))}
            />
            <TextField
              label="Or, in percent"
              inputMode="decimal"
              placeholder="0"
              value={typed.percent}
              error={showsFaults ? percentProblem : undefined}
              onChange={({ target }) => setTyped((now) => ({ ...now, percent: target.value }))}
            />
            <TextField label="Days before" {...number("days_before")} />
            <TextField label="Days after" {...number("days_after")} />
          </div>
          <Segmented
            label="Days"
            value={rule.day_kind ?? "calendar"}
            options={DAY_KINDS}
            onChange={(day_kind) => change({ day_kind })}
          />
          {rule.kind === "group" && (
            <TextField label="Most lines of a sum" {...number("max_group_size")} />
          )}
          <CheckField
            label="Leave a difference open instead of keeping it on the match"
            checked={rule.residual === "none"}
            onChange={({ target }) => change({ residual: target.checked ? "none" : "keep" })}
          />
          <div className="flex flex-col gap-1.5">
            <span className="text-sm font-medium">Then</span>
            <Segmented
              label="Then"
              value={rule.then}
              options={THEN}
              onChange={(then) => change({ then })}
            />
          </div>
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            {initial.name === "" ? "Add rule" : "Change rule"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
