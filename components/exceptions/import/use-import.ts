"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { exceptionsKey } from "../queries.ts";
import type { Format } from "./file-parts.ts";
import { fileKeyOf, NO_PROGRESS, type Progress, runImport } from "./run-import.ts";

export type Chosen = { file: File; format: Format };
export type Phase = "idle" | "running" | "stopped" | "failed" | "done";

/** The import of one file, which can be paused and resumed. */
export function useImport(tenant: string) {
  const cache = useQueryClient();
  const stopping = useRef<AbortController>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [phase, setPhase] = useState<Phase>("idle");
  const [progress, setProgress] = useState(NO_PROGRESS);
  const [error, setError] = useState<Error | null>(null);

  async function run({ file, format }: Chosen, from: Progress): Promise<void> {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    setPhase("running");
    setError(null);
    try {
      await runImport(
        { tenant, file, format, fileKey: await fileKeyOf(file) },
        { progress: from, onProgress: setProgress, signal },
      );
      setPhase("done");
    } catch (failure) {
      setPhase(signal.aborted ? "stopped" : "failed");
      if (!signal.aborted) setError(failure as Error);
    }
    await cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
  }

  return {
    chosen,
    phase,
    progress,
    error,
    choose(next: Chosen | null) {
      setChosen(next);
      setPhase("idle");
      setProgress(NO_PROGRESS);
      setError(null);
    },
    start: () => chosen && run(chosen, NO_PROGRESS),
    resume: () => chosen && run(chosen, progress),
    stop: () => stopping.current?.abort(),
  };
}
