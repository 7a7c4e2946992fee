"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import { callApi } from "#components/api-client.ts";
import { fieldsChanged } from "#components/kit/changed-fields.ts";
import { CurrencyField } from "#components/kit/currency-field.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelForm } from "#components/kit/panel-form.tsx";
import type { Problems } from "#components/kit/problems.ts";
import { SOURCE_KIND_LABELS } from "#components/kit/source-kinds.ts";
import { TimeZoneField } from "#components/kit/time-zone-field.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  createSourceContract,
  SOURCE_KINDS,
  SOURCE_SIGNS,
  type Source,
  updateSourceContract,
} from "#lib/sources/contract.ts";
import { SOURCES } from "#lib/wire/facts.gen.ts";
import { SIGN_LABELS } from "./labels.ts";
import { sourceById, sourcesKey } from "./queries.ts";

type Input = z.input<NonNullable<typeof createSourceContract.body>>;
type Draft = {
  name: string;
  kind: Source["kind"];
  currency: string;
  time_zone: string;
  sign: Source["sign"];
  grace_days: string;
};

const isKind = (value: string): value is Source["kind"] =>
  SOURCE_KINDS.some((kind) => kind === value);

function newDraft(time_zone: string): Draft {
  return {
    name: "",
    kind: "bank_statement",
    currency: "EUR",
    time_zone,
    sign: "as_is",
    grace_days: "3",
  };
}

function draftOf({ name, kind, currency, time_zone, sign, grace_days }: Source): Draft {
  return { name, kind, currency, time_zone, sign, grace_days: String(grace_days) };
}

/** Checks before anything is sent; the server does the rest. */
function missingIn({ name, currency, time_zone, grace_days }: Draft): Problems {
  return {
    ...(name.trim() === "" && { name: "Enter a name." }),
    ...(!/^[A-Za-z]{3}$/.test(currency.trim()) && {
      currency: "Enter a currency code of three letters.",
    }),
    ...(time_zone.trim() === "" && { time_zone: "Enter a time zone." }),
    ...(!/^\d+$/.test(grace_days) && { grace_days: "Enter a number of days." }),
  };
}

function inputOf({ name, kind, currency, time_zone, sign, grace_days }: Draft): Input {
  const sent = {
    name: name.trim(),
    kind,
    currency: currency.trim().toUpperCase(),
    time_zone: time_zone.trim(),
    sign,
  };
  return { ...sent, grace_days: Number(grace_days) } as Input;
}

/** A source's form. `initial`: the one to edit; omitted to create one. */
export function SourceForm({
  initial,
  onDone,
}: {
  initial?: Source;
  onDone: (saved: Source) => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { timeZone } = usePreferences();
  const [before] = useState(() => (initial ? draftOf(initial) : newDraft(timeZone)));
  const form = useForm({
    initial: before,
    check: missingIn,
    send: (draft, idempotencyKey) =>
      initial
        ? callApi(updateSourceContract, {
            tenant,
            params: { id: initial.id },
            body: fieldsChanged(inputOf(before), inputOf(draft)),
          })
        : callApi(createSourceContract, { tenant, body: inputOf(draft), idempotencyKey }),
    onDone: (saved) => {
      cache.setQueryData(sourceById(tenant, saved.id).queryKey, saved);
      cache.invalidateQueries({ queryKey: sourcesKey(tenant) });
      toast(`${initial ? "Saved" : "Created"} ${saved.name}`);
      onDone(saved);
    },
  });
  const { draft, text, change } = form;
  const isSettled = initial !== undefined && initial.line_count > 0;
  return (
    <PanelForm
      form={form}
      title={initial?.name ?? "New source"}
      start={initial ? "Save changes" : "Create source"}
      unsaved={JSON.stringify(draft) !== JSON.stringify(before)}
    >
      <TextField
        label="Name"
        placeholder="Commerzbank EUR account"
        maxLength={SOURCES.name.max}
        {...text("name")}
        required
      />
      <SelectField
        label="Kind"
        value={draft.kind}
        onChange={({ target }) => isKind(target.value) && change({ kind: target.value })}
      >
        {SOURCE_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {SOURCE_KIND_LABELS[kind]}
          </option>
        ))}
      </SelectField>
      <CurrencyField
        hint={
          isSettled ? "Fixed once the source has lines." : "Used for lines that name no currency."
        }
        disabled={isSettled}
        className="disabled:opacity-60"
        {...text("currency")}
        required
      />
      <fieldset disabled={isSettled} className="min-w-0">
        <legend className="sr-only">Signs</legend>
        <RadioGroup
          legend="Signs"
          value={draft.sign}
          options={SOURCE_SIGNS.map((value) => ({ value, label: SIGN_LABELS[value] }))}
          onChange={(sign) => change({ sign })}
        >
          <p className="text-sm text-muted">
            {isSettled
              ? "Fixed once the source has lines."
              : "Choose inverted if this source posts with the opposite sign. " +
                "Amounts stay as imported. Reconciliations reverse their sign."}
          </p>
        </RadioGroup>
      </fieldset>
      <TimeZoneField
        hint="Decides the day of times in files."
        value={draft.time_zone}
        error={form.problem("time_zone")}
        onChange={(time_zone) => change({ time_zone })}
      />
      <TextField
        label="Grace period"
        type="number"
        min={SOURCES.grace_days.min}
        max={SOURCES.grace_days.max}
        hint="Business days that a line can stay open before it becomes an exception."
        {...text("grace_days")}
        required
      />
    </PanelForm>
  );
}
