"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { PanelTitle } from "./panel-parts.tsx";
import { ProblemNote } from "./problem-note.tsx";
import type { FormState } from "./use-form.ts";

/**
 * A form in a panel: fields, problems, and buttons that stay visible. Warns before unsaved changes
 * are lost.
 */
export function PanelForm({
  form: { ref, isPending, uncertain, unplaced, submit },
  title,
  start,
  unsaved,
  disabled = false,
  notice,
  actions,
  children,
}: {
  form: FormState;
  title: string;
  start: string;
  /** Whether there are unsaved changes. */
  unsaved: boolean;
  /** Whether there is nothing to save. */
  disabled?: boolean;
  /** Shown above the buttons instead of problems. */
  notice?: ReactNode;
  /** Further buttons. */
  actions?: ReactNode;
  children: ReactNode;
}) {
  useUnsavedWarning(unsaved);
  const failure = uncertain ?? unplaced;
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!disabled) submit();
      }}
      className="flex flex-1 flex-col"
    >
      <div className="flex flex-1 flex-col gap-5 px-6 pb-6">
        <PanelTitle>{title}</PanelTitle>
        {children}
      </div>
      <div className="pinned sticky bottom-0 flex flex-col gap-3 border-t border-line bg-surface px-6 py-3">
        <div role="alert" className="empty:hidden">
          {notice ?? (failure && <ProblemNote error={failure} />)}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" disabled={isPending || disabled}>
            {isPending ? "Saving…" : start}
          </Button>
          {actions}
        </div>
      </div>
    </form>
  );
}
