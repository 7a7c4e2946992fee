"use client";

import { useCallback, useState } from "react";
import type { Exception } from "#lib/exceptions/contract.ts";
import { useResumeException } from "./use-resume-exception.ts";

/** The P key on a row: asks why to pause, or resumes at once. `item`: what is about to be paused. */
export function usePauseByKey() {
  const [item, setItem] = useState<Exception | null>(null);
  const resume = useResumeException();
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are memoised; `resume` does the same in every render
  const toggle = useCallback((pressed: Exception) => (pressed.paused_at === null ? setItem(pressed) : resume(pressed.id)), []);
  return { item, toggle, close: () => setItem(null) };
}
