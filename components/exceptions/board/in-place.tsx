"use client";

import { Pencil } from "lucide-react";
import { type ReactNode, useId, useRef, useState } from "react";
import { classes } from "#components/ui/classes.ts";
import { DateControl } from "#components/ui/date-field.tsx";
import { FIELD } from "#components/ui/text-field.tsx";

/** A value that is edited where it is shown. Enter or leaving the field saves; Escape cancels. */
export function InPlace({
  label,
  value,
  time,
  maxLength,
  onSave,
  className,
  children,
}: {
  label: string;
  /** In the field's format. */
  value: string;
  /** Given, the value is a day and a time, as of a DateField. */
  time?: string;
  maxLength?: number;
  /** Called with a changed value that isn't empty. */
  onSave: (value: string) => void;
  className?: string;
  children: ReactNode;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);

  function end(text: string): void {
    setDraft(null);
    if (text.trim() !== "" && text !== value) onSave(text.trim());
  }

  if (draft !== null)
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it listens to the field in it
      <div
        ref={focusField}
        onBlur={({ currentTarget, relatedTarget }) =>
          !currentTarget.contains(relatedTarget) && end(draft)
        }
        onKeyDown={(event) => {
          if (!(event.target instanceof HTMLInputElement)) return;
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.preventDefault();
          end(event.key === "Escape" ? value : draft);
          requestAnimationFrame(() => button.current?.focus());
        }}
      >
        {time === undefined ? (
          <input
            aria-label={label}
            maxLength={maxLength}
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
            className={classes(FIELD, "h-9", className)}
          />
        ) : (
          <DateControl
            id={id}
            className="h-9"
            value={draft}
            time={time}
            onChange={setDraft}
            inputProps={{ "aria-label": label }}
          />
        )}
      </div>
    );
  return (
    <button
      ref={button}
      type="button"
      title={`Edit the ${label.toLowerCase()}`}
      onClick={() => setDraft(value)}
      className={classes(
        "group -mx-1.5 max-w-full rounded-sm px-1.5 text-left wrap-break-word hover:bg-hover",
        className,
      )}
    >
      {children}
      <span className="sr-only">, edit the {label.toLowerCase()}</span>
      <Pencil
        aria-hidden
        className="ml-1.5 inline size-3.5 text-muted opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
      />
    </button>
  );
}

function focusField(box: HTMLElement | null): void {
  box?.querySelector("input")?.focus();
}
