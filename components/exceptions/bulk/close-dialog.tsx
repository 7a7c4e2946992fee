"use client";

import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { Button } from "#components/ui/button.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { TextArea } from "#components/ui/text-field.tsx";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";
import { RESOLUTIONS } from "../resolutions.ts";

export type Closed = "resolved" | "dismissed";

type Props = {
  status: Closed;
  count: number;
  onSubmit: (resolution: string) => void;
  onClose: () => void;
};

/** Closes several exceptions with one resolution. */
export function CloseDialog({ status, count, onSubmit, onClose }: Props) {
  const verb = status === "resolved" ? "Resolve" : "Dismiss";
  const what = pluralize(count, "exception");
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
      <div className="flex flex-col gap-2">
        <TextArea
          label="Resolution"
          maxLength={EXCEPTIONS.resolution.max}
          {...form.text("resolution")}
          required
        />
        <ul aria-label="Common reasons" className="flex flex-wrap gap-1.5">
          {RESOLUTIONS.map((reason) => (
            <li key={reason}>
              <Button
                size="sm"
                aria-pressed={form.draft.resolution === reason}
                onClick={() => form.change({ resolution: reason })}
              >
                {reason}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </FormDialog>
  );
}
