"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ChangeEvent, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { fieldsChanged } from "#components/kit/changed-fields.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelForm } from "#components/kit/panel-form.tsx";
import { type Fields, useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { DateField } from "#components/ui/date-field.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  createReconciliationContract,
  type Reconciliation,
  updateReconciliationContract,
} from "#lib/reconciliations/contract.ts";
import { RECONCILIATIONS } from "#lib/wire/facts.gen.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import {
  type Draft,
  draftOf,
  inputOf,
  missingIn,
  missingInNew,
  type NewDraft,
  newDraft,
  newInputOf,
  proposedName,
} from "./draft.ts";
import { reconciliationById, reconciliationsKey } from "./queries.ts";
import { SourcePicker } from "./source-picker.tsx";

const DAYS = [
  ["period_start", "First day"],
  ["period_end", "Last day"],
] as const;
const COUNT = { type: "number", min: 0, step: 1 } as const;
const MATCHED_BY = [
  { value: "here", label: "Match lines" },
  { value: "elsewhere", label: "Report counts" },
] as const;

/** The form of an existing reconciliation. */
export function EditReconciliation({
  initial,
  onDone,
}: {
  initial: Reconciliation;
  onDone: () => void;
}) {
  const tenant = useTenantId();
  const [before] = useState(draftOf(initial));
  const saved = useSaved("Saved", onDone);
  const counted = initial.left_source_id !== null;
  const form = useForm({
    initial: before,
    check: missingIn,
    send: (draft) => {
      const body = fieldsChanged(inputOf(before, counted), inputOf(draft, counted));
      return callApi(updateReconciliationContract, { tenant, params: { id: initial.id }, body });
    },
    onDone: saved,
  });
  return (
    <PanelForm
      form={form}
      title={initial.name}
      start="Save changes"
      unsaved={JSON.stringify(form.draft) !== JSON.stringify(before)}
    >
      <NameAndPeriod form={form} />
      <SourceNames form={form} />
      {!counted && <Counts form={form} />}
    </PanelForm>
  );
}

/** The form of a new one: the service matches the lines of two sources, or counts are reported. */
export function CreateReconciliation() {
  const tenant = useTenantId();
  const router = useRouter();
  const saved = useSaved("Created", ({ id }) => router.push(`/${tenant}/reconciliations/${id}`));
  const [proposed] = useState(() => newDraft(serverNow()));
  const [source, setSource] = useState("");
  const form = useForm({
    initial: proposed,
    check: missingInNew,
    send: (draft, idempotencyKey) =>
      callApi(createReconciliationContract, { tenant, body: newInputOf(draft), idempotencyKey }),
    onDone: saved,
  });
  const { draft, problem } = form;

  /** A name that the user hasn't typed follows the period and the left source. */
  function change(fields: Partial<NewDraft>, nextSource = source): void {
    const next = { ...draft, ...fields };
    const follows = draft.name === proposedName(draft, source) && fields.name === undefined;
    form.change({ ...fields, ...(follows && { name: proposedName(next, nextSource) }) });
  }
  const text = (field: keyof Draft) => ({
    ...form.text(field),
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      change({ [field]: target.value }),
  });

  return (
    <PanelForm
      form={form}
      title="New reconciliation"
      start="Create"
      unsaved={JSON.stringify(draft) !== JSON.stringify(proposed)}
    >
      <NameAndPeriod form={{ text, change }} />
      <div className="flex flex-col gap-1.5">
        <Segmented
          label="How it is matched"
          value={draft.matched_by}
          options={MATCHED_BY}
          onChange={(matched_by) => change({ matched_by })}
        />
        <p className="text-sm text-muted">
          {draft.matched_by === "here"
            ? `${PRODUCT} matches the lines of two sources by rules.`
            : "Your own system matches, and reports how many items did."}
        </p>
      </div>
      {draft.matched_by === "here" ? (
        <>
          {(["left", "right"] as const).map((side) => (
            <SourcePicker
              key={side}
              label={side === "left" ? "Left source" : "Right source"}
              value={draft[`${side}_source_id`]}
              error={problem(`${side}_source_id`)}
              onChange={({ id, name }) => {
                if (side === "left") setSource(name);
                change({ [`${side}_source_id`]: id }, side === "left" ? name : source);
              }}
            />
          ))}
          <CheckField
            label="Run when lines arrive"
            checked={draft.auto_run}
            onChange={({ target }) => change({ auto_run: target.checked })}
          />
        </>
      ) : (
        <>
          <SourceNames form={form} />
          <Counts form={form} />
        </>
      )}
    </PanelForm>
  );
}

type Part = { form: Pick<Fields<Draft>, "text"> };

function NameAndPeriod({
  form: { text, change },
}: Part & { form: { change: (fields: Partial<Draft>) => void } }) {
  return (
    <>
      <TextField label="Name" maxLength={RECONCILIATIONS.name.max} {...text("name")} required />
      <div className="grid grid-cols-2 gap-3">
        {DAYS.map(([field, label]) => (
          <DateField
            key={field}
            label={label}
            value={text(field).value}
            error={text(field).error}
            onChange={(day) => change({ [field]: day })}
            required
          />
        ))}
      </div>
    </>
  );
}

function SourceNames({ form: { text } }: Part) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label="Left source"
        maxLength={RECONCILIATIONS.left_source.max}
        {...text("left_source")}
        required
      />
      <TextField
        label="Right source"
        maxLength={RECONCILIATIONS.right_source.max}
        {...text("right_source")}
        required
      />
    </div>
  );
}

function Counts({ form: { text } }: Part) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField label="Matched" {...COUNT} {...text("matched_count")} required />
      <TextField label="Unmatched" {...COUNT} {...text("unmatched_count")} required />
    </div>
  );
}

function useSaved(words: "Saved" | "Created", onDone: (saved: Reconciliation) => void) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return (saved: Reconciliation) => {
    cache.setQueryData(reconciliationById(tenant, saved.id).queryKey, saved);
    cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
    toast(`${words} ${saved.name}`);
    onDone(saved);
  };
}
