"use client";

import { useState } from "react";
import { CurrencyField } from "#components/kit/currency-field.tsx";
import type { Fields } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import type { EventKind } from "#lib/wire/event-kinds.ts";
import { EXCEPTIONS, WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { ReconciliationsFilter, SourcesFilter } from "./filter-pickers.tsx";
import { FilterPreview } from "./filter-preview.tsx";
import {
  type FiltersDraft,
  NO_OPTIONS,
  type OauthDraft,
  type OptionsDraft,
} from "./options-draft.ts";

type Form = Fields<OptionsDraft & { events: EventKind[] }>;

/** A webhook's events, the headers of its deliveries, and its limit per minute. */
export function WebhookOptions({ form }: { form: Form }) {
  const { draft, problem, text } = form;
  const [isOpen, setOpen] = useState(
    (Object.keys(NO_OPTIONS) as (keyof OptionsDraft)[]).some(
      (name) => JSON.stringify(draft[name]) !== JSON.stringify(NO_OPTIONS[name]),
    ),
  );
  // A new webhook begins without either.
  const [hasHeaders] = useState(draft.headers !== "");
  const [hasClient] = useState(draft.oauth.token_url !== "");
  const hasProblem = (Object.keys(NO_OPTIONS) as (keyof OptionsDraft)[]).some((name) =>
    problem(name),
  );
  // A problem that was shown keeps it open.
  if (hasProblem && !isOpen) setOpen(true);
  return (
    <Disclosure key={String(isOpen)} title="Filters, headers, OAuth and limit" open={isOpen}>
      <div className="flex flex-col gap-4">
        <FilterFields form={form} />
        <TextArea
          label="Headers (optional)"
          rows={2}
          placeholder="X-Gateway-Key: 3f1c0d9b"
          hint={
            "One per line. Values are stored encrypted and never " +
            `shown${hasHeaders ? "; a name alone keeps its value" : ""}.`
          }
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-sm"
          {...text("headers")}
        />
        <TextField
          label="Limit per minute (optional)"
          type="number"
          min={WEBHOOKS.max_per_minute.min}
          max={WEBHOOKS.max_per_minute.max}
          placeholder="No limit"
          hint="Deliveries beyond it wait."
          {...text("max_per_minute")}
        />
        <OauthFields form={form} hasClient={hasClient} />
      </div>
    </Disclosure>
  );
}

function FilterFields({ form: { draft, change, problem } }: { form: Form }) {
  const { filters, events } = draft;
  const set = (fields: Partial<FiltersDraft>) => change({ filters: { ...filters, ...fields } });
  const typed = (field: "assigned_to" | "amount" | "currency") => ({
    value: filters[field],
    onChange: ({ target }: { target: { value: string } }) =>
      set({ [field]: field === "currency" ? target.value.toUpperCase() : target.value }),
    autoComplete: "off",
    spellCheck: false,
  });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-sm font-medium">Only events that pass all filters</legend>
      <p className="text-sm text-danger-text empty:hidden">{problem("filters")}</p>
      <div className="flex flex-wrap gap-x-4">
        {EXCEPTIONS.severity.map((severity) => (
          <CheckField
            key={severity}
            label={severity.charAt(0).toUpperCase() + severity.slice(1)}
            checked={filters.severity.includes(severity)}
            onChange={({ target }) =>
              set({
                severity: EXCEPTIONS.severity.filter((value) =>
                  value === severity ? target.checked : filters.severity.includes(value),
                ),
              })
            }
          />
        ))}
      </div>
      <TextField label="Assigned to" placeholder="ada, leo" {...typed("assigned_to")} />
      <div className="grid grid-cols-[1fr_7rem] gap-3">
        <TextField
          label="Minimum amount"
          inputMode="decimal"
          placeholder="1,000.00"
          aria-invalid={Boolean(problem("filters"))}
          {...typed("amount")}
        />
        <CurrencyField {...typed("currency")} />
      </div>
      <SourcesFilter ids={filters.source_ids} onChange={(source_ids) => set({ source_ids })} />
      <ReconciliationsFilter
        ids={filters.reconciliation_ids}
        onChange={(reconciliation_ids) => set({ reconciliation_ids })}
      />
      <FilterPreview key={JSON.stringify([events, filters])} events={events} filters={filters} />
    </fieldset>
  );
}

function OauthFields({
  form: { draft, change, problem },
  hasClient,
}: {
  form: Form;
  /** Whether a client secret is stored. */
  hasClient: boolean;
}) {
  const typed = (field: keyof OauthDraft) => ({
    value: draft.oauth[field],
    onChange: ({ target }: { target: { value: string } }) =>
      change({ oauth: { ...draft.oauth, [field]: target.value } }),
    autoComplete: "off",
    spellCheck: false,
  });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-sm font-medium">OAuth client credentials (optional)</legend>
      <TextField
        label="Token URL"
        type="url"
        placeholder="https://login.example.com/oauth/token"
        error={problem("oauth")}
        {...typed("token_url")}
      />
      <TextField label="Client ID" {...typed("client_id")} />
      <TextField
        label="Client secret"
        type="password"
        hint={`Stored encrypted and never shown${hasClient ? "; empty keeps it" : ""}.`}
        {...typed("client_secret")}
      />
      <TextField label="Scope (optional)" {...typed("scope")} />
    </fieldset>
  );
}
