"use client";

import type { QueryKey } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useMutate } from "../use-mutate.ts";

export type TransferPhase = "idle" | "running" | "stopped" | "failed" | "done";

export type TransferContext<Progress> = {
  idempotencyKey: string;
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
};

type Declared<Input, Progress, Answer> = {
  /** The progress before anything is sent. */
  none: Progress;
  send: (input: Input, context: TransferContext<Progress>) => Promise<Answer>;
  onDone?: (answer: Answer) => void;
  /** The query key to invalidate once it has ended, in any way. */
  stale?: QueryKey;
};

/** Sends a file, in one call or several, with its progress. It can be stopped and started again. */
export function useTransfer<Input, Progress, Answer>({
  none,
  send,
  onDone,
  stale,
}: Declared<Input, Progress, Answer>) {
  const stopping = useRef<AbortController>(null);
  const [progress, setProgress] = useState(none);
  const [ended, setEnded] = useState<"stopped" | "done" | null>(null);

  const { start, reset, isPending, error } = useMutate<Input, Answer>({
    send: (input, idempotencyKey) => {
      stopping.current = new AbortController();
      const { signal } = stopping.current;
      return send(input, {
        idempotencyKey,
        signal,
        onProgress: (next) => signal.aborted || setProgress(next),
      });
    },
    onDone: (answer) => {
      setEnded("done");
      onDone?.(answer);
    },
    ...(stale && { stale }),
  });

  function phase(): TransferPhase {
    if (isPending) return "running";
    if (error) return "failed";
    return ended ?? "idle";
  }

  return {
    phase: phase(),
    progress,
    error,
    start(input: Input): void {
      setEnded(null);
      start(input);
    },
    stop(): void {
      stopping.current?.abort();
      setEnded("stopped");
      reset();
    },
    reset(): void {
      setProgress(none);
      setEnded(null);
      reset();
    },
  };
}
