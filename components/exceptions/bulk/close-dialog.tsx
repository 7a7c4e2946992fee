"use client";

import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextArea } from "#components/ui/text-field.tsx";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";

export type Closed = "resolved" | "dismissed";

type Props = { status: Closed; count: number; onSubmit: (resolution: string) => void; onClose: () => void };

/** Closes several exceptions with one resolution. */
export function CloseDialog({ status, count, onSubmit, onClose }: Props) {
  const verb = status === "resolved" ? "Resolve" : "Dismiss";
  const what = `${count.toLocaleString("en")} ${count === 1 ? "exception" : "exceptions"}`;
  const form = useForm({
    initial: { resolution: "" },
    check: ({ resolution }) => ({
      ...(resolution.trim() === "" && { resolution: "Enter a resolution." }),
    }),
    send: async ({ resolution }) => resolution.trim(),
    onDone: onSubmit,
  });
  return (
    <FormDialog
      form={form}
      title={`${verb} ${what}`}
      description="They leave the board. The resolution is recorded on each one."
      start={`${verb} ${what}`}
      pending={`${verb} ${what}`}
      onClose={onClose}
    >
      <TextArea label="Resolution" maxLength={EXCEPTIONS.resolution.most} {...form.text("resolution")} required />
    </FormDialog>
  );
}
