"use client";

import type { z } from "zod";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import type { pauseExceptionContract } from "#lib/exceptions/contract.ts";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";

export type Pause = z.input<NonNullable<typeof pauseExceptionContract.body>>;

type Props = {
  count: number;
  send: (pause: Pause, idempotencyKey: string) => Promise<unknown>;
  onDone: (pause: Pause) => void;
  onClose: () => void;
};

/** Asks why to pause, and until when. */
export function PauseDialog({ count, send, onDone, onClose }: Props) {
  const what = count === 1 ? "exception" : `${count.toLocaleString("en")} exceptions`;
  const form = useForm({
    initial: { reason: "", until: "" },
    check: ({ reason }) => ({ ...(reason.trim() === "" && { reason: "Enter a reason." }) }),
    send: (draft, idempotencyKey) => send(pauseOf(draft), idempotencyKey),
    onDone: (_, draft) => onDone(pauseOf(draft)),
  });
  return (
    <FormDialog
      form={form}
      title={`Pause ${what}`}
      description="The clock stands still until it is resumed. No warnings are sent meanwhile."
      start={`Pause ${what}`}
      pending="Pausing…"
      onClose={onClose}
    >
      <TextField label="Reason" maxLength={EXCEPTIONS.pause_reason.most} {...form.text("reason")} required />
      <TextField
        label="Resume at"
        type="datetime-local"
        hint="Your local time. Empty: when someone resumes it, or your SLA policy's limit is reached."
        {...form.text("until")}
      />
    </FormDialog>
  );
}

/** `until` is local time, empty for no end. */
function pauseOf({ reason, until }: { reason: string; until: string }): Pause {
  return { reason: reason.trim(), until: until === "" ? null : new Date(until).toISOString() };
}
