"use client";

import { Pencil } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { classes } from "#components/ui/classes.ts";
import { focusOnMount } from "#components/ui/focus-on-mount.ts";
import { FIELD } from "#components/ui/text-field.tsx";

/** A value that is edited where it is shown. Enter or leaving the field saves; Escape cancels. */
export function InPlace({
  label,
  value,
  type = "text",
  maxLength,
  onSave,
  className,
  children,
}: {
  label: string;
  /** In the field's format. */
  value: string;
  type?: "text" | "datetime-local";
  maxLength?: number;
  /** Called with a changed value that isn't empty. */
  onSave: (value: string) => void;
  className?: string;
  children: ReactNode;
}) {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const cancelled = useRef(false);

  function end(text: string): void {
    setEditing(false);
    if (!cancelled.current && text.trim() !== "" && text !== value) onSave(text.trim());
  }

  if (editing)
    return (
      <input
        ref={focusOnMount}
        aria-label={label}
        type={type}
        maxLength={maxLength}
        defaultValue={value}
        onBlur={({ target }) => end(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.preventDefault();
          cancelled.current = event.key === "Escape";
          event.currentTarget.blur();
          requestAnimationFrame(() => button.current?.focus());
        }}
        className={classes(FIELD, "h-9", className)}
      />
    );
  return (
    <button
      ref={button}
      type="button"
      title={`Edit the ${label.toLowerCase()}`}
      onClick={() => {
        cancelled.current = false;
        setEditing(true);
      }}
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
