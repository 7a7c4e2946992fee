"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { ProblemNote } from "./problem-note.tsx";
import type { FormState } from "./use-form.ts";

/**
 * A form on a page, with its general error and its button. `wide` makes the button as wide as the
 * column.
 */
export function CardForm({
  form,
  start,
  pending,
  disabled = false,
  wide = false,
  beforeButton,
  children,
}: {
  form: FormState;
  /** The button's label, and while pending. */
  start: string;
  pending: string;
  disabled?: boolean;
  wide?: boolean;
  beforeButton?: ReactNode;
  children: ReactNode;
}) {
  const error = form.unplaced ?? form.uncertain;
  return (
    <form
      ref={form.ref}
      // Without scripts, the form would be sent by GET and put its values into a URL.
      method="post"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
      className="flex flex-col gap-4"
    >
      {children}
      <div role="alert" className="empty:hidden">
        {error && <ProblemNote error={error} />}
      </div>
      {beforeButton}
      <Button
        type="submit"
        variant="primary"
        className={wide ? "h-10" : "self-start"}
        disabled={disabled || form.isPending}
      >
        {form.isPending ? pending : start}
      </Button>
    </form>
  );
}
