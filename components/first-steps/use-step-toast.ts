"use client";

import { useEffect, useRef } from "react";
import { toast } from "#components/ui/toast.ts";
import type { FirstStep, FirstSteps } from "#lib/first-steps/contract.ts";

/** Announced as they happen, because they don't happen on the page. */
const TOASTS: Partial<Record<FirstStep, { title: string; description: string }>> = {
  call_api: {
    title: "Your first request arrived",
    description: "Your key works. See its usage on the API keys page.",
  },
  receive_event: {
    title: "Your receiver got its first event",
    description: "Events are now delivered as they happen.",
  },
};

/** Shows a toast for each step that is completed while the page is open. */
export function useStepToast({ steps }: FirstSteps): void {
  const known = useRef(steps);
  useEffect(() => {
    for (const [at, { step, done }] of steps.entries()) {
      const message = TOASTS[step];
      if (done && message && !known.current[at]?.done) toast(message.title, message);
    }
    known.current = steps;
  }, [steps]);
}
