"use client";

import { CornerDownLeft } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { focusOnMount } from "#components/ui/focus-on-mount.ts";
import { FIELD } from "#components/ui/text-field.tsx";
import { useListbox } from "#components/ui/use-listbox.ts";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";
import { RESOLUTIONS } from "../resolutions.ts";

export type Closed = "resolved" | "dismissed";

const CLOSED = [
  ["resolved", "Resolve"],
  ["dismissed", "Dismiss"],
] as const;

/**
 * Resolves or dismisses exceptions with a reason from the list or the user's own. Enter and a click
 * on a reason do what `first` says.
 */
export function CloseForm({
  first = "resolved",
  onClose,
  onCancel,
}: {
  first?: Closed;
  onClose: (status: Closed, resolution: string) => void;
  onCancel: () => void;
}) {
  const [text, setText] = useState("");
  const own = text.trim();
  const listed = RESOLUTIONS.filter((reason) => reason.toLowerCase().startsWith(own.toLowerCase()));
  const reasons = own === "" || listed.some((reason) => reason === own) ? listed : [...listed, own];
  const listbox = useListbox({
    label: "Resolution",
    keys: reasons,
    onChoose: (reason) => onClose(first, reason),
  });

  return (
    <form
      aria-label="Resolve"
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event.nativeEvent as SubmitEvent;
        if (listbox.active)
          onClose((submitter as HTMLButtonElement).value as Closed, listbox.active);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onCancel();
      }}
      className="flex flex-col gap-2"
    >
      <input
        {...listbox.field}
        ref={focusOnMount}
        placeholder="Pick a reason or type your own"
        maxLength={EXCEPTIONS.resolution.max}
        value={text}
        onChange={({ target }) => {
          listbox.begin();
          setText(target.value);
        }}
        className={`${FIELD} h-10`}
      />
      <div {...listbox.list} role="listbox" aria-label="Reasons" className="flex flex-col">
        {reasons.map((reason) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
          <div
            key={reason}
            role="option"
            tabIndex={-1}
            {...listbox.option(reason)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onClose(first, reason)}
            className="flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm aria-selected:bg-selected max-sm:min-h-11"
          >
            <span className="min-w-0 flex-1 truncate">{reason === own ? `“${own}”` : reason}</span>
            {reason === listbox.active && (
              <CornerDownLeft aria-hidden className="size-3.5 shrink-0 text-muted" />
            )}
          </div>
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        {CLOSED.toSorted(([status]) => (status === first ? -1 : 1)).map(([status, verb]) => (
          <Button
            key={status}
            type="submit"
            size="sm"
            variant={status === first ? "primary" : "secondary"}
            value={status}
          >
            {verb}
          </Button>
        ))}
        <Button size="sm" variant="ghost" className="ml-auto" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
