"use client";

import { useState } from "react";
import { useTransfer } from "#components/kit/imports/use-transfer.ts";
import { exceptionsKey } from "../queries.ts";
import type { Format } from "./file-parts.ts";
import { fileKeyOf, NO_PROGRESS, type Progress, runImport } from "./run-import.ts";

export type Chosen = { file: File; format: Format };

/** The import of one file, which can be paused and resumed. */
export function useImport(tenant: string) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const { start, reset, ...transfer } = useTransfer<Chosen & { from: Progress }, Progress, void>({
    none: NO_PROGRESS,
    // Each part has a key that depends on the file alone, so that the key given here isn't needed.
    send: async ({ file, format, from }, { signal, onProgress }) =>
      runImport(
        { tenant, file, format, fileKey: await fileKeyOf(file) },
        { progress: from, onProgress, signal },
      ),
    stale: exceptionsKey(tenant),
  });

  return {
    ...transfer,
    chosen,
    choose(next: Chosen | null) {
      setChosen(next);
      reset();
    },
    /** Starts, or resumes after the parts that are already imported. */
    start: () => chosen && start({ ...chosen, from: transfer.progress }),
  };
}
