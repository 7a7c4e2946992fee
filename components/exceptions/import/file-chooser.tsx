"use client";

import { FileUp } from "lucide-react";
import { type DragEvent, useId, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { saveFile } from "#components/ui/save-file.ts";
import { csvTemplate, ndjsonTemplate } from "./columns.ts";
import type { Format } from "./file-parts.ts";
import type { Chosen } from "./use-import.ts";

const ACCEPTED = ".csv,.ndjson,.jsonl,.json,text/csv,application/x-ndjson";

/** Choose or drop a file. */
export function FileChooser({ onChoose }: { onChoose: (chosen: Chosen) => void }) {
  const id = useId();
  const [over, setOver] = useState(false);

  async function take(file: File | undefined | null) {
    if (file) onChoose({ file, format: await formatOf(file) });
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
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
        <input id={id} type="file" accept={ACCEPTED} className="sr-only" onChange={({ target }) => take(target.files?.[0])} />
      </label>
      <p className="text-sm text-muted">or drop it here. CSV with a header row, or NDJSON with one JSON object per line.</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button size="sm" variant="ghost" onClick={() => saveFile(new Blob([csvTemplate()], { type: "text/csv" }), "exceptions.csv")}>
          CSV template
        </Button>
        <Button
          size="sm"
          variant="ghost"
          onClick={() => saveFile(new Blob([ndjsonTemplate()], { type: "application/x-ndjson" }), "exceptions.ndjson")}
        >
          NDJSON template
        </Button>
      </div>
    </section>
  );
}

/** By its extension, or else by its first character. */
async function formatOf(file: File): Promise<Format> {
  if (/\.(ndjson|jsonl)$/i.test(file.name)) return "ndjson";
  if (/\.csv$/i.test(file.name)) return "csv";
  return (await file.slice(0, 64).text()).trimStart().startsWith("{") ? "ndjson" : "csv";
}
