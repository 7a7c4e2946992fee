"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { FileDrop } from "#components/ui/file-drop.tsx";
import { Note } from "#components/ui/note.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { csvTemplate, ndjsonTemplate } from "./columns.ts";
import { faultOf } from "./file-fault.ts";
import type { Format } from "./file-parts.ts";
import type { Chosen } from "./use-import.ts";

const ACCEPTED = ".csv,.ndjson,.jsonl,.json,text/csv,application/x-ndjson";

/** Choose or drop a file. */
export function FileChooser({ onChoose }: { onChoose: (chosen: Chosen) => void }) {
  const [fault, setFault] = useState<{ file: string; reason: string } | null>(null);

  async function chooseFile(file: File) {
    const format = await formatOf(file);
    const reason = await faultOf(file, format);
    if (reason === null) onChoose({ file, format });
    else setFault({ file: file.name, reason });
  }

  return (
    <FileDrop
      accept={ACCEPTED}
      hint="or drop it here. CSV with a header row, or NDJSON with one JSON object per line."
      onFile={chooseFile}
    >
      <div role="alert" className="empty:hidden">
        {fault && (
          <Note tone="danger">
            <strong className="font-medium break-all">{fault.file}</strong> wasn't imported.{" "}
            {fault.reason}
          </Note>
        )}
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <Button
          size="sm"
          variant="ghost"
          onClick={() =>
            saveFile(new Blob([csvTemplate()], { type: "text/csv" }), "exceptions.csv")
          }
        >
          CSV template
        </Button>
        <Button
          size="sm"
          variant="ghost"
          onClick={() =>
            saveFile(
              new Blob([ndjsonTemplate()], { type: "application/x-ndjson" }),
              "exceptions.ndjson",
            )
          }
        >
          NDJSON template
        </Button>
      </div>
    </FileDrop>
  );
}

/** Detected by the extension, or else by the first character. */
async function formatOf(file: File): Promise<Format> {
  if (/\.(ndjson|jsonl)$/i.test(file.name)) return "ndjson";
  if (/\.csv$/i.test(file.name)) return "csv";
  return (await file.slice(0, 64).text()).trimStart().startsWith("{") ? "ndjson" : "csv";
}
