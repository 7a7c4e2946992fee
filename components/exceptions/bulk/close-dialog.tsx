"use client";

import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { type Closed, CloseForm } from "../detail/close-form.tsx";

type Props = {
  status: Closed;
  count: number;
  onSubmit: (status: Closed, resolution: string) => void;
  onClose: () => void;
};

/** Closes several exceptions with one resolution, by the form that closes a single one. */
export function CloseDialog({ status, count, onSubmit, onClose }: Props) {
  const verb = status === "resolved" ? "Resolve" : "Dismiss";
  return (
    <Dialog
      title={`${verb} ${pluralize(count, "exception")}`}
      description="They leave the board. The resolution is recorded on each one."
      onClose={onClose}
    >
      <DialogBody>
        <CloseForm first={status} onClose={onSubmit} onCancel={onClose} />
      </DialogBody>
    </Dialog>
  );
}
