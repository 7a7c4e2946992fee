"use client";

import { FileUp } from "lucide-react";
import { type DragEvent, type ReactNode, useId, useState } from "react";
import { classes } from "./classes.ts";

/**
 * Choose or drop a file. `accept` is that of an input; empty accepts any file. `children` are shown
 * below the hint.
 */
export function FileDrop({
  accept,
  hint,
  onFile,
  children,
}: {
  accept?: string;
  hint: string;
  onFile: (file: File) => void;
  children?: ReactNode;
}) {
  const id = useId();
  const [over, setOver] = useState(false);

  function choose(file: File | undefined | null) {
    if (file) onFile(file);
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files[0]);
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
        "flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-10 text-center",
        over ? "border-accent-text bg-accent-soft" : "border-field bg-raised",
      )}
    >
      <FileUp aria-hidden className="size-6 text-muted" />
      <label
        htmlFor={id}
        className="inline-flex h-9 cursor-pointer items-center rounded-md bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-hover has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
      >
        Choose a file
        <input
          id={id}
          type="file"
          accept={accept}
          className="sr-only"
          onChange={({ target }) => {
            choose(target.files?.[0]);
            // Reset, so that choosing the same file again, changed in the meantime, fires a change.
            target.value = "";
          }}
        />
      </label>
      <p className="text-sm text-pretty text-muted">{hint}</p>
      {children}
    </section>
  );
}
