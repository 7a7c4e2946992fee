"use client";

import { type FormEvent, useState } from "react";
import { ApiProblem } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { RECONCILIATIONS } from "#lib/wire/facts.gen.ts";
import type { NewReconciliation } from "./use-reconciliations.ts";

type CountName = "matched_count" | "unmatched_count";
type TextName = "name" | "period_start" | "period_end" | "left_source" | "right_source";

/** What people fill in of a reconciliation. `initial`: the one that is changed. */
export function ReconciliationForm({
  initial,
  submit,
  busy,
  error,
  onSubmit,
}: {
  initial?: Reconciliation;
  submit: string;
  busy: boolean;
  error: Error | null;
  onSubmit: (fields: NewReconciliation) => void;
}) {
  const [typed, setTyped] = useState(false);
  useUnsavedWarning(typed);
  // Of one with sources they are counted, and not to be set.
  const computed = initial?.left_source_id != null;
  const problems = error instanceof ApiProblem ? error.errors : [];
  const field = (name: keyof NewReconciliation) => ({
    name,
    required: true,
    defaultValue: initial && name in initial ? String(initial[name as keyof Reconciliation]) : undefined,
    error: problems.find(({ path }) => path === name)?.message,
  });

  function onForm(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<TextName, string> & Partial<Record<CountName, string>>;
    const { matched_count, unmatched_count, ...texts } = given;
    onSubmit(computed ? texts : { ...texts, matched_count: Number(matched_count), unmatched_count: Number(unmatched_count) });
  }

  return (
    <form onSubmit={onForm} onInput={() => setTyped(true)} className="flex flex-col gap-5 px-6 pb-8">
      <TextField label="Name" maxLength={RECONCILIATIONS.name.most} {...field("name")} />
      <div className="grid grid-cols-2 gap-3">
        <TextField label="First day" type="date" min="1970-01-01" max="2999-12-31" {...field("period_start")} />
        <TextField label="Last day" type="date" min="1970-01-01" max="2999-12-31" {...field("period_end")} />
      </div>
      <div className="grid grid-cols-2 gap-3">
        <TextField label="Left source" maxLength={RECONCILIATIONS.left_source.most} {...field("left_source")} />
        <TextField label="Right source" maxLength={RECONCILIATIONS.right_source.most} {...field("right_source")} />
      </div>
      {!computed && (
        <div className="grid grid-cols-2 gap-3">
          <TextField label="Matched" type="number" min={0} step={1} {...counted("matched_count")} />
          <TextField label="Unmatched" type="number" min={0} step={1} {...counted("unmatched_count")} />
        </div>
      )}
      <div role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text empty:hidden">
        {error && problems.length === 0 && error.message}
      </div>
      <Button type="submit" variant="primary" className="self-start" disabled={busy}>
        {busy ? "Saving…" : submit}
      </Button>
    </form>
  );

  function counted(name: CountName) {
    return { ...field(name), defaultValue: initial?.[name] ?? 0 };
  }
}
