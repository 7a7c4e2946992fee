"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useId } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import type { FirstSteps } from "#lib/first-steps/contract.ts";
import { firstStepsQuery, isComplete, useDismissFirstSteps } from "./queries.ts";
import { StepList } from "./step-list.tsx";
import { useStepToast } from "./use-step-toast.ts";

/** The first steps in the sidebar, until done or dismissed. */
export function FirstStepsCard({ initial, onGo }: { initial: FirstSteps; onGo?: () => void }) {
  const id = useId();
  const { data } = useQuery({ ...firstStepsQuery(useTenantId()), initialData: initial });
  const dismiss = useDismissFirstSteps();
  useStepToast(data);
  if (data.dismissed) return null;
  const done = data.steps.filter((step) => step.done).length;
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col gap-1.5 rounded-lg border border-line bg-surface p-2 shadow-raised"
    >
      <header className="flex items-center gap-2 pl-2">
        <h2 id={id} className="text-sm font-semibold">
          {isComplete(data) ? "You're all set" : "First steps"}
        </h2>
        <p className="text-xs text-muted">
          {done} of {data.steps.length}
        </p>
        <button
          type="button"
          aria-label="Dismiss the first steps"
          title="Dismiss. You can reopen this from your menu."
          onClick={() => dismiss.start(true)}
          className="ml-auto flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink max-lg:size-11"
        >
          <X aria-hidden className="size-4" />
        </button>
      </header>
      <progress
        aria-label="First steps done"
        value={done}
        max={data.steps.length}
        className="sr-only"
      />
      <div aria-hidden className="mx-2 grid auto-cols-fr grid-flow-col gap-1">
        {data.steps.map((step) => (
          <span
            key={step.step}
            className={step.done ? "h-1 rounded-sm bg-accent" : "h-1 rounded-sm bg-selected"}
          />
        ))}
      </div>
      <StepList sidebar firstSteps={data} onGo={onGo} />
    </section>
  );
}
