"use client";

import { FileUp } from "lucide-react";
import { type DragEvent, type ReactNode, useId, useState } from "react";
import { buttonClass } from "./button.tsx";
import { classes } from "./classes.ts";

type Receiver =
  | { onFile: (file: File) => void; onFiles?: never }
  | { onFiles: (files: readonly File[]) => void; onFile?: never };

/**
 * Choose or drop a file, or with `onFiles` several. `accept` is that of an input; empty accepts any
 * file. `children` are shown below the hint. `compact` is for a panel.
 */
export function FileDrop({
  accept,
  hint,
  label = "Choose a file",
  compact = false,
  onFile,
  onFiles,
  children,
}: {
  accept?: string;
  hint: string;
  label?: string;
  compact?: boolean;
  children?: ReactNode;
} & Receiver) {
  const id = useId();
  const [over, setOver] = useState(false);

  function choose(chosen: FileList | null) {
    const files = [...(chosen ?? [])];
    if (files.length > 0) onFiles?.(files);
    if (files[0]) onFile?.(files[0]);
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files);
  }

  return (
    <section
      aria-label="File"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={classes(
        "flex rounded-lg border border-dashed print:hidden",
        compact
          ? "flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2.5"
          : "flex-col items-center gap-3 px-4 py-10 text-center",
        over ? "border-accent-text bg-accent-soft" : "border-field bg-raised",
      )}
    >
      {!compact && <FileUp aria-hidden className="size-6 text-muted" />}
      <label
        htmlFor={id}
        className={classes(
          buttonClass(compact ? { size: "sm" } : { variant: "primary" }),
          "cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2",
          "has-focus-visible:outline-focus",
        )}
      >
        {label}
        <input
          id={id}
          type="file"
          accept={accept}
          multiple={onFiles !== undefined}
          className="sr-only"
          onChange={({ target }) => {
            choose(target.files);
            // Reset, so that choosing the same file again, changed in the meantime, fires a change.
            target.value = "";
          }}
        />
      </label>
      <p
        role={compact ? "status" : undefined}
        className={classes(
          "text-pretty text-muted",
          compact ? "min-w-0 flex-1 text-xs" : "text-sm",
        )}
      >
        {hint}
      </p>
      {children}
    </section>
  );
}
