"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { ProblemNote } from "./problem-note.tsx";
import type { FormState } from "./use-form.ts";

/** A form in a dialog, with its problems, an uncertain result, and the buttons. */
export function FormDialog({
  form,
  title,
  description,
  start,
  pending,
  danger = false,
  onSubmit = form.submit,
  onClose,
  children,
}: {
  form: FormState;
  title: string;
  description?: ReactNode;
  /** The button's label, and the one while pending. */
  start: string;
  pending: string;
  danger?: boolean;
  onSubmit?: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const { isPending, uncertain, unplaced } = form;
  return (
    <Dialog
      keepsOpen={isPending}
      onClose={() => !isPending && onClose()}
      title={title}
      description={description}
    >
      <form
        ref={form.ref}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <DialogBody>
          {unplaced && <ProblemNote error={unplaced} />}
          <fieldset
            disabled={isPending || uncertain !== null}
            className="flex min-w-0 flex-col gap-6"
          >
            <legend className="sr-only">{title}</legend>
            {children}
          </fieldset>
        </DialogBody>
        <DialogActions>
          <div role="alert" className="w-full empty:hidden">
            {uncertain && (
              <ProblemNote error={uncertain}>
                It may still have gone through. Trying again is safe: it only happens once.
              </ProblemNote>
            )}
          </div>
          <Button onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          {uncertain ? (
            <Button variant="primary" onClick={form.retry}>
              Try again
            </Button>
          ) : (
            <Button type="submit" variant={danger ? "danger" : "primary"} disabled={isPending}>
              {isPending ? pending : start}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}
