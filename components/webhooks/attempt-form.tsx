"use client";

import type { FormEvent, ReactNode, RefObject } from "react";
import { Button } from "#components/ui/button.tsx";
import { DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { problemsFrom } from "./problems.ts";
import type { Attempt } from "./use-attempt.ts";

/** A dialog's form that does something once: what was refused, what is not certain, and the way out. */
export function AttemptForm({
  form,
  legend,
  attempt,
  start,
  pending,
  danger = false,
  onStart,
  onClose,
  children,
}: {
  form?: RefObject<HTMLFormElement | null>;
  legend: string;
  attempt: Attempt;
  /** What the button says, and while it is being done. */
  start: string;
  pending: string;
  danger?: boolean;
  onStart: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const { isPending, refused, uncertain } = attempt;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    onStart();
  }

  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex min-h-0 flex-1 flex-col">
      <DialogBody>
        {refused && Object.keys(problemsFrom(refused)).length === 0 && <Note tone="danger">{refused.message}</Note>}
        <fieldset disabled={isPending || uncertain !== null} className="flex min-w-0 flex-col gap-6">
          <legend className="sr-only">{legend}</legend>
          {children}
        </fieldset>
      </DialogBody>
      <DialogActions>
        <div role="alert" className="w-full empty:hidden">
          {uncertain && (
            <Note tone="danger">{uncertain.message} It may have happened all the same. Trying again is safe: it is done once.</Note>
          )}
        </div>
        <Button onClick={onClose} disabled={isPending}>
          Cancel
        </Button>
        {uncertain ? (
          <Button variant="primary" onClick={attempt.start}>
            Try again
          </Button>
        ) : (
          <Button type="submit" variant={danger ? "danger" : "primary"} disabled={isPending}>
            {isPending ? pending : start}
          </Button>
        )}
      </DialogActions>
    </form>
  );
}
