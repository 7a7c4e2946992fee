"use client";

import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { useForm } from "./use-form.ts";

/** Asks for the reason of a change, which is required. `isLong`: it may take several lines. */
export function ReasonDialog<Answer>({
  title,
  description,
  hint,
  maxLength,
  isLong = false,
  start,
  pending,
  danger = false,
  send,
  onDone,
  onClose,
}: {
  title: string;
  description: string;
  hint?: string;
  maxLength: number;
  isLong?: boolean;
  /** The button's label, and the one while pending. */
  start: string;
  pending: string;
  danger?: boolean;
  send: (reason: string, idempotencyKey: string) => Promise<Answer>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}) {
  const form = useForm({
    initial: { reason: "" },
    check: ({ reason }): Record<string, string> =>
      reason.trim() === "" ? { reason: "Enter a reason." } : {},
    send: ({ reason }, idempotencyKey) => send(reason.trim(), idempotencyKey),
    onDone: (answer) => {
      onDone(answer);
      onClose();
    },
  });
  const Field = isLong ? TextArea : TextField;
  return (
    <FormDialog {...{ form, title, description, start, pending, danger, onClose }}>
      <Field
        label="Reason"
        {...(hint && { hint })}
        maxLength={maxLength}
        {...form.text("reason")}
        required
      />
    </FormDialog>
  );
}
