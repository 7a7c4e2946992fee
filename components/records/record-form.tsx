"use client";

import { type FormEvent, type ReactNode, useState } from "react";
import { ApiProblem } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import type { FieldError } from "#lib/wire/errors.ts";
import { FieldEditor } from "./field-editor.tsx";
import { JsonField } from "./json-field.tsx";

type Fields = Record<string, unknown>;

const MODES = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;
const JSON_ROWS = 18;

/** A record's own fields, as a form of those that the surface knows, or all of them as JSON. */
export function RecordForm({
  surface,
  fields,
  onChange,
  onSubmit,
  submit,
  unchanged = false,
  busy,
  error,
  notice,
  children,
}: {
  surface: Surface;
  fields: Fields;
  onChange: (fields: Fields) => void;
  onSubmit: () => void;
  submit: string;
  /** True where there is nothing to send. */
  unchanged?: boolean;
  busy: boolean;
  error: Error | null;
  /** What stands above the buttons. */
  notice?: ReactNode;
  /** Further buttons. */
  children?: ReactNode;
}) {
  const [mode, setMode] = useState<"form" | "json">("form");
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const problems = error instanceof ApiProblem ? error.errors : [];
  const unknown = Object.keys(fields).filter((name) => !(name in surface.fields)).length;

  function mark(name: string, value: unknown): boolean {
    const next = new Set(broken);
    if (value === null) next.add(name);
    else next.delete(name);
    setBroken(next);
    return value !== null;
  }

  function change(name: string, value: unknown) {
    if (!mark(name, value)) return;
    const { [name]: _, ...others } = fields;
    onChange(value === undefined ? others : { ...fields, [name]: value });
  }

  function submitted(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (broken.size === 0 && !unchanged) onSubmit();
  }

  return (
    <form onSubmit={submitted} noValidate className="flex flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-5 px-6 pb-6">
        <Segmented label="Edit as" value={mode} options={MODES} onChange={(chosen) => broken.size === 0 && setMode(chosen)} />
        {mode === "form" ? (
          <>
            {Object.entries(surface.fields).map(([name, field]) => (
              <FieldEditor
                key={name}
                field={field}
                value={fields[name]}
                error={problemOf(name, problems)}
                onChange={(value) => change(name, value)}
              />
            ))}
            {unknown > 0 && (
              <p className="text-sm text-muted">
                {unknown === 1 ? "One more field is" : `${unknown} more fields are`} kept as {unknown === 1 ? "it is" : "they are"}: see
                JSON.
              </p>
            )}
          </>
        ) : (
          <JsonField
            label="All fields"
            value={fields}
            rows={JSON_ROWS}
            error={problems.map(({ path, message }) => `${path}: ${message}`).join(" ")}
            onChange={(value) => mark("", value) && value && onChange(value)}
          />
        )}
      </div>
      <div className="sticky bottom-0 flex flex-col gap-3 border-t border-line bg-surface px-6 py-3">
        <div role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text empty:hidden">
          {error && !notice && saidOf(error)}
        </div>
        {notice}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" disabled={busy || unchanged || broken.size > 0}>
            {busy ? "Saving…" : submit}
          </Button>
          {children}
        </div>
      </div>
    </form>
  );
}

function problemOf(name: string, problems: FieldError[]): string | undefined {
  const own = problems.filter(({ path }) => path === name || path.startsWith(`${name}.`));
  return own.length === 0 ? undefined : own.map(({ path, message }) => (path === name ? message : `${path}: ${message}`)).join(" ");
}

function saidOf(error: Error): string {
  if (!(error instanceof ApiProblem) || error.requestId === null || error.errors.length > 0) return error.message;
  return `${error.message} (Request ${error.requestId})`;
}
