"use client";

import type { Fields } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { CONNECTIONS } from "#lib/wire/facts.gen.ts";
import { type ConnectionDraft, NO_AUTOFILL } from "./connection-draft.ts";
import { AFTERWARDS_LABELS } from "./labels.ts";

type FormFields = Fields<ConnectionDraft>;

export function GlobField({ form: { draft, text } }: { form: FormFields }) {
  return (
    <TextField
      label="Files"
      placeholder="camt053-*.xml"
      maxLength={CONNECTIONS.file_glob.max}
      hint={
        "* is any characters, ? is one." +
        (draft.kind === "mail" ? "" : " Files that end in .part or .tmp are skipped.")
      }
      {...NO_AUTOFILL}
      {...text("file_glob")}
      required
    />
  );
}

export function FileFields({ form }: { form: FormFields }) {
  const { draft, text, change } = form;
  return (
    <>
      <RadioGroup
        legend="After a file is imported"
        value={draft.afterwards}
        options={CONNECTIONS.afterwards.map((value) => ({
          value,
          label: AFTERWARDS_LABELS[value],
        }))}
        onChange={(afterwards) => change({ afterwards })}
      />
      {draft.afterwards === "move" && (
        <TextField
          label="Folder"
          maxLength={CONNECTIONS.move_to.max}
          {...NO_AUTOFILL}
          {...text("move_to")}
          required
        />
      )}
      <TextField
        label="Seconds without a change"
        type="number"
        min={CONNECTIONS.stable_seconds.min}
        max={CONNECTIONS.stable_seconds.max}
        hint="A file whose size or time still changes waits."
        {...text("stable_seconds")}
        required
      />
      <CheckField
        label="Wait for a file of the same name and .done"
        checked={draft.waits_for_marker}
        onChange={({ target }) => change({ waits_for_marker: target.checked })}
      />
    </>
  );
}
