"use client";

import { type ReactNode, useState } from "react";
import { PanelForm } from "#components/kit/panel-form.tsx";
import type { useForm } from "#components/kit/use-form.ts";
import { Segmented } from "#components/ui/segmented.tsx";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import { FieldEditor } from "./field-editor.tsx";
import { JsonField } from "./json-field.tsx";

/** The draft of a record's fields; a removed one is undefined. */
export type RecordFields = Record<string, unknown>;

/** The fields that remain. */
export function definedFields(fields: RecordFields): RecordFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const MODES = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;
const JSON_ROWS = 18;

type Props = {
  form: ReturnType<typeof useForm<RecordFields, unknown>>;
  surface: Surface;
  title: string;
  start: string;
  unsaved: boolean;
  /** True if there is nothing to save. */
  unchanged?: boolean;
  notice?: ReactNode;
  actions?: ReactNode;
};

/** Edits a record's fields: the surface's known fields as a form, or all as JSON. */
export function RecordForm({ form, surface, unchanged = false, ...frame }: Props) {
  const { draft, problems, problem } = form;
  const [mode, setMode] = useState<"form" | "json">("form");
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const unknown = Object.keys(definedFields(draft)).filter(
    (name) => !(name in surface.fields),
  ).length;

  /** Null stands for input that can't be sent. */
  function mark(name: string, value: unknown): boolean {
    const next = new Set(broken);
    if (value === null) next.add(name);
    else next.delete(name);
    setBroken(next);
    return value !== null;
  }

  return (
    <PanelForm form={form} disabled={unchanged || broken.size > 0} {...frame}>
      <Segmented
        label="Edit as"
        value={mode}
        options={MODES}
        onChange={(chosen) => broken.size === 0 && setMode(chosen)}
      />
      {mode === "form" ? (
        <>
          {Object.entries(surface.fields).map(([name, field]) => (
            <FieldEditor
              key={name}
              field={field}
              value={draft[name]}
              error={problem(name)}
              onChange={(value) => mark(name, value) && form.change({ [name]: value })}
            />
          ))}
          {unknown > 0 && (
            <p className="text-sm text-muted">
              {unknown === 1 ? "One more field is" : `${unknown} more fields are`} kept unchanged:
              see JSON.
            </p>
          )}
        </>
      ) : (
        <JsonField
          label="All fields"
          value={definedFields(draft)}
          rows={JSON_ROWS}
          error={Object.entries(problems)
            .map(([path, message]) => `${path}: ${message}`)
            .join(" ")}
          onChange={(value) => mark("", value) && form.change({ ...without(draft), ...value })}
        />
      )}
    </PanelForm>
  );
}

/** A patch that removes every field. */
function without(fields: RecordFields): RecordFields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]));
}
