"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import type { z } from "zod";
import { callApi } from "#components/api-client.ts";
import { CurrencyField } from "#components/kit/currency-field.tsx";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import type { Problems } from "#components/kit/problems.ts";
import { newestReconciliations } from "#components/kit/reconciliation-names.ts";
import { useForm } from "#components/kit/use-form.ts";
import { AssigneePicker } from "#components/people/assignee-picker.tsx";
import { Person } from "#components/people/person.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { zoneName } from "#components/preferences/time-zone.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { DateField } from "#components/ui/date-field.tsx";
import { momentOfField } from "#components/ui/field-time.ts";
import { formatDay } from "#components/ui/moment.ts";
import { parseMoney } from "#components/ui/money.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { createExceptionContract } from "#lib/exceptions/contract.ts";
import { CURRENCIES } from "#lib/wire/currencies.ts";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";
import {
  CHOICE_NAMES,
  type Choices,
  choiceFieldOf,
  fieldLabel,
  INITIAL_CHOICES,
} from "./fields.tsx";
import { exceptionsKey } from "./queries.ts";

/**
 * Fields are named as in the body, so that a refusal finds its field. `amount_minor` is as typed;
 * `due_at` is in the field's format, in the zone that the page shows.
 */
type Draft = Choices & {
  title: string;
  assigned_to: string | null;
  due_at: string;
  reason_code: string;
  amount_minor: string;
  currency: string;
  reconciliation_id: string;
};

const EMPTY: Draft = {
  title: "",
  ...INITIAL_CHOICES,
  assigned_to: null,
  due_at: "",
  reason_code: "",
  amount_minor: "",
  currency: "EUR",
  reconciliation_id: "",
};

const currencyOf = ({ currency }: Draft) =>
  CURRENCIES.find((code) => code === currency.trim().toUpperCase());

function amountOf(draft: Draft): number | null {
  const currency = currencyOf(draft);
  const amount = currency ? parseMoney(draft.amount_minor, currency) : null;
  return amount !== null && amount >= 0 ? amount : null;
}

function missingIn(draft: Draft): Problems {
  const hasAmount = draft.amount_minor.trim() !== "";
  return {
    ...(draft.title.trim() === "" && { title: "Enter a title." }),
    ...(hasAmount && !currencyOf(draft) && { currency: "Enter a currency code, such as EUR." }),
    ...(hasAmount &&
      currencyOf(draft) &&
      amountOf(draft) === null && { amount_minor: "Enter an amount, such as 1,250.00." }),
  };
}

function bodyOf(
  draft: Draft,
  timeZone: string,
): z.input<NonNullable<typeof createExceptionContract.body>> {
  const {
    title,
    assigned_to,
    due_at,
    reason_code,
    amount_minor,
    currency: _currency,
    reconciliation_id,
    ...choices
  } = draft;
  return {
    title: title.trim(),
    ...choices,
    ...(assigned_to !== null && { assigned_to }),
    ...(due_at !== "" && { due_at: momentOfField(due_at, timeZone) }),
    ...(reason_code.trim() !== "" && { reason_code: reason_code.trim() }),
    ...(amount_minor.trim() !== "" && {
      amount_minor: amountOf(draft),
      currency: currencyOf(draft),
    }),
    ...(reconciliation_id !== "" && { reconciliation_id }),
  };
}

/** Creates an exception. `reconciliation` is the board's, if it shows only one. */
export function NewExceptionDialog({
  reconciliation,
  onClose,
}: {
  reconciliation: string | undefined;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { timeZone } = usePreferences();
  const form = useForm({
    initial: { ...EMPTY, reconciliation_id: reconciliation ?? "" },
    check: missingIn,
    send: (draft, idempotencyKey) =>
      callApi(createExceptionContract, { tenant, body: bodyOf(draft, timeZone), idempotencyKey }),
    onDone: ({ title }) => {
      toast(`Created ${title}`);
      cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
      onClose();
    },
  });
  const { draft, text, change, problem } = form;
  return (
    <FormDialog
      form={form}
      title="New exception"
      start="Create exception"
      pending="Creating…"
      onClose={onClose}
    >
      <TextField
        label="Title"
        placeholder="Payout 4711 has no bank line"
        maxLength={EXCEPTIONS.title.max}
        {...text("title")}
        required
      />
      {CHOICE_NAMES.map((name) => {
        const { values, labels } = choiceFieldOf(name);
        return (
          <SelectField
            key={name}
            label={fieldLabel(name)}
            value={draft[name]}
            error={form.problem(name)}
            onChange={({ target }) => change({ [name]: target.value } as Partial<Choices>)}
          >
            {values.map((value) => (
              <option key={value} value={value}>
                {labels[value]}
              </option>
            ))}
          </SelectField>
        );
      })}
      <div className="flex flex-col items-start gap-1.5">
        <span className="text-sm font-medium">Assignee</span>
        <AssigneePicker
          value={draft.assigned_to}
          triggerClass={buttonClass()}
          trigger={
            <>
              <span className="sr-only">Assignee: </span>
              <Person reference={draft.assigned_to} />
              <ChevronDown aria-hidden className="size-3.5 text-muted" />
            </>
          }
          onChange={(assigned_to) => change({ assigned_to })}
        />
      </div>
      <DateField
        label="Deadline"
        time="17:00"
        hint={`In ${zoneName(timeZone)}. Leave empty to use the SLA policy.`}
        value={draft.due_at}
        error={problem("due_at")}
        onChange={(due_at) => change({ due_at })}
      />
      <div className="grid gap-4 sm:grid-cols-[1fr_7rem]">
        <TextField
          label="Money at risk"
          inputMode="decimal"
          placeholder="1,250.00"
          autoComplete="off"
          {...text("amount_minor")}
        />
        <CurrencyField {...text("currency")} />
      </div>
      <ReconciliationField
        value={draft.reconciliation_id}
        error={form.problem("reconciliation_id")}
        onChange={(reconciliation_id) => change({ reconciliation_id })}
      />
      <TextField
        label="Reason code"
        placeholder="missing_counterpart"
        maxLength={EXCEPTIONS.reason_code.max}
        autoComplete="off"
        {...text("reason_code")}
      />
    </FormDialog>
  );
}

type FieldProps = { value: string; error: string | undefined; onChange: (id: string) => void };

function ReconciliationField({ value, error, onChange }: FieldProps) {
  const { data } = useQuery(newestReconciliations(useTenantId()));
  const listed =
    data?.items.filter(({ id, status }) => status !== "archived" || id === value) ?? [];
  return (
    <SelectField
      label="Reconciliation"
      value={value}
      error={error}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">None</option>
      {value !== "" && !listed.some(({ id }) => id === value) && (
        <option value={value}>{value}</option>
      )}
      {listed.map(({ id, name, period_start, period_end }) => (
        <option key={id} value={id}>
          {name}, {formatDay(period_start, "UTC")} to {formatDay(period_end, "UTC")}
        </option>
      ))}
    </SelectField>
  );
}
