"use client";

import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";

/** Asks before changing more exceptions than the user sees. */
export function ConfirmDialog({
  count,
  onConfirm,
  onClose,
}: {
  count: number;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const title = `Change ${count.toLocaleString("en")} exceptions`;
  return (
    <Dialog
      onClose={onClose}
      title={title}
      description="Everything that matches your filters, including rows that aren't loaded."
    >
      <DialogBody>
        <p className="text-sm">
          If the number of matches has changed by then, nothing is changed and you can check again.
        </p>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" onClick={onConfirm}>
          {title}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
