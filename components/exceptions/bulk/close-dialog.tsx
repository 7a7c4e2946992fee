"use client";

import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { TextArea } from "#components/ui/text-field.tsx";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";

export type Closed = "resolved" | "dismissed";

/** Closes several with one resolution. */
export function CloseDialog({
  status,
  count,
  onSubmit,
  onClose,
}: {
  status: Closed;
  count: number;
  onSubmit: (resolution: string) => void;
  onClose: () => void;
}) {
  const [error, setError] = useState<string>();
  const verb = status === "resolved" ? "Resolve" : "Dismiss";
  const what = `${count.toLocaleString("en")} ${count === 1 ? "exception" : "exceptions"}`;

  function onSubmitted(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const resolution = String(new FormData(event.currentTarget).get("resolution")).trim();
    if (resolution === "") return setError(count === 1 ? "Say how it was settled." : "Say how they were settled.");
    onSubmit(resolution);
  }

  return (
    <Dialog onClose={onClose} title={`${verb} ${what}`} description="They leave the board. The resolution is kept with each of them.">
      <form onSubmit={onSubmitted} noValidate className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <TextArea
            label="Resolution"
            name="resolution"
            maxLength={EXCEPTIONS.resolution.most}
            error={error}
            onChange={() => setError(undefined)}
            required
          />
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            {verb} {what}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
