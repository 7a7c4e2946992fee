"use client";

import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { TextArea } from "#components/ui/text-field.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";

type Closed = "resolved" | "dismissed";

/** Resolves or dismisses an exception with a resolution. */
export function CloseForm({ onClose }: { onClose: (status: Closed, resolution: string) => void }) {
  const [error, setError] = useState<string>();
  const [typed, setTyped] = useState(false);
  useUnsavedWarning(typed);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const resolution = String(new FormData(event.currentTarget).get("resolution")).trim();
    if (resolution === "") return setError("Enter a resolution.");
    onClose((submitter as HTMLButtonElement).value as Closed, resolution);
  }

  return (
    <form onSubmit={onSubmit} noValidate className="flex flex-col gap-3 border-t border-line pt-5">
      <TextArea
        label="Resolution"
        name="resolution"
        maxLength={EXCEPTIONS.resolution.most}
        error={error}
        onChange={({ target }) => {
          setError(undefined);
          setTyped(target.value !== "");
        }}
        required
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" value="resolved">
          Resolve
        </Button>
        <Button type="submit" value="dismissed">
          Dismiss
        </Button>
      </div>
    </form>
  );
}
