import type { z } from "zod";
import { createStore } from "#components/ui/store.ts";
import type { Exception, updateExceptionContract } from "#lib/exceptions/contract.ts";
import type { Pause } from "./pauses/pause-dialog.tsx";

export type Patch = z.input<NonNullable<typeof updateExceptionContract.body>>;

/** One call that undoes a part of an action. */
export type Step = { patch: Patch } | { pause: Pause } | { resume: true };

/**
 * An action of this session, stored when it is sent. `etag` is the version it created, once it is
 * answered; if the current one differs, someone else has changed the exception.
 */
export type Act = {
  id: string;
  done: string;
  steps: readonly Step[];
  etag: Promise<string | null>;
};

const NONE: readonly Act[] = [];

/** The actions of this session that were not undone, the latest last. */
export const acts = createStore(NONE);

export function remember(act: Act): void {
  acts.set([...acts.get(), act]);
  act.etag.catch(() => forget(act));
}

export function forget(act: Act): void {
  acts.set(acts.get().filter((one) => one !== act));
}

/** The action that U undoes: the last one on the open exception, otherwise the last of all. */
export function lastAct(all: readonly Act[], id: string | null): Act | undefined {
  return all.findLast((act) => act.id === id) ?? all.at(-1);
}

/**
 * Whether an exception looks as after the first of these steps, or more of them: they were applied,
 * and only the response was lost.
 */
export function isTaken(steps: readonly Step[], exception: Exception): boolean {
  let left: Patch = {};
  return steps.some((step) => {
    if (!("patch" in step)) return false;
    left = { ...left, ...step.patch };
    return Object.entries(left).every(
      ([field, value]) => exception[field as keyof Exception] === value,
    );
  });
}

/** The steps that undo a patch. A closed exception reopens as it was: in review, paused. */
export function inverseOf(before: Exception, patch: Patch): Step[] {
  const wasClosed = before.closed_at !== null;
  if (wasClosed && patch.status === "open")
    return [{ patch: { status: before.status, resolution: before.resolution } }];
  if (patch.status === "resolved" || patch.status === "dismissed") {
    const steps: Step[] = [{ patch: { status: "open" } }];
    if (before.status === "in_review") steps.push({ patch: { status: "in_review" } });
    if (before.paused_at !== null) steps.push(pauseAgain(before));
    return steps;
  }
  return [
    {
      patch: Object.fromEntries(
        Object.keys(patch).map((field) => [field, before[field as keyof Exception]]),
      ) as Patch,
    },
  ];
}

/** Ends that have passed are left out. */
export function pauseAgain({ pause_reason, paused_until }: Exception): Step {
  const isAhead = paused_until !== null && Date.parse(paused_until) > Date.now();
  return {
    pause: { reason: pause_reason ?? "Paused again", until: isAhead ? paused_until : null },
  };
}
