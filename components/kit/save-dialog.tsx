import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { ProblemNote } from "./problem-note.tsx";

/** Shows what a change would do before it is saved. */
export function SaveDialog({
  title,
  save,
  label,
  onClose,
  children,
}: {
  title: string;
  save: { start: () => void; isPending: boolean; error: Error | null };
  /** The button's label. */
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      onClose={onClose}
      keepsOpen={save.isPending}
      title={title}
      description="Nothing changes until you save."
    >
      <DialogBody>
        {children}
        {save.error && <ProblemNote error={save.error} />}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose} disabled={save.isPending}>
          Keep editing
        </Button>
        <Button variant="primary" disabled={save.isPending} onClick={() => save.start()}>
          {save.isPending ? "Saving…" : label}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
