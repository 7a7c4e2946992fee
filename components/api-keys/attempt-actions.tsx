"use client";

import { Button } from "#components/ui/button.tsx";
import { DialogActions } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";

type Attempt = { isPending: boolean; uncertain: Error | null; retry: () => void; close: () => void };

/** What to do at the end of a form that issues a secret. */
export function AttemptActions({ attempt, start, pending }: { attempt: Attempt; start: string; pending: string }) {
  const { isPending, uncertain, retry, close } = attempt;
  return (
    <DialogActions>
      <div role="alert" className="w-full empty:hidden">
        {uncertain && (
          <Note tone="danger">{uncertain.message} It may have happened all the same. Trying again is safe: it gives one key, not two.</Note>
        )}
      </div>
      <Button onClick={close} disabled={isPending}>
        Cancel
      </Button>
      {uncertain ? (
        <Button variant="primary" onClick={retry}>
          Try again
        </Button>
      ) : (
        <Button type="submit" variant="primary" disabled={isPending}>
          {isPending ? pending : start}
        </Button>
      )}
    </DialogActions>
  );
}
