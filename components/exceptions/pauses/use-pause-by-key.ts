"use client";

import { useCallback, useState } from "react";
import { serverNow } from "#components/ui/server-clock.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { pauseFault, showPauseFault } from "./pause-fault.ts";
import { useResumeException } from "./use-resume-exception.ts";

/**
 * The P key on a row: opens the pause dialog, says why it can't be paused, or resumes at once.
 * `item` is the exception to pause.
 */
export function usePauseByKey() {
  const [item, setItem] = useState<Exception | null>(null);
  const resume = useResumeException();
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are memoised; `resume` does the same in every render
  const toggle = useCallback((pressed: Exception) => {
    const fault = pauseFault(pressed, serverNow());
    if (pressed.paused_at !== null) resume(pressed.id);
    else if (fault) showPauseFault(fault);
    else setItem(pressed);
  }, []);
  return { item, toggle, close: () => setItem(null) };
}
