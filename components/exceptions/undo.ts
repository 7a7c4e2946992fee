import type { z } from "zod";
import { createStore } from "#components/ui/store.ts";
import type { Exception, updateExceptionContract } from "#lib/exceptions/contract.ts";
import { CHOICE_NAMES, fieldLabel } from "./fields.tsx";
import type { Pause } from "./pauses/pause-dialog.tsx";

export type Patch = z.input<NonNullable<typeof updateExceptionContract.body>>;

/** One call that undoes a part of a change to exceptions. */
export type UndoStep = { patch: Patch } | { pause: Pause } | { resume: true };

/** The decision about a suggested match, which reopens the exception that it resolved. */
export type DecisionStep = { decision: { reconciliation_id: string; match_id: string } };

/** What a toast says of an action, and of undoing it: "Assigned to ada", "Assignment undone". */
type ActionLabels = { title: string; done: string; undone: string };

/**
 * An action on one exception, stored when it is sent. `etag` is the version it created, once it is
 * answered; if the current one differs, someone else has changed the exception.
 */
export type SingleAction = ActionLabels & {
  id: string;
  steps: readonly (UndoStep | DecisionStep)[];
  etag: Promise<string | null>;
};

/**
 * A change of many exceptions, undone as one. Each group has exceptions with the same steps.
 * `patch` is what the change set, if it set fields.
 */
export type BulkAction = ActionLabels & { id: null; groups: readonly BulkGroup[]; patch: Patch };
export type BulkGroup = { ids: readonly string[]; steps: readonly UndoStep[] };

/** An action of this session. */
export type UndoableAction = SingleAction | BulkAction;

const NONE: readonly UndoableAction[] = [];

/** The actions of this session that were not undone, the latest last. */
export const undoHistory = createStore(NONE);

export function recordAction(action: UndoableAction): void {
  undoHistory.set([...undoHistory.get(), action]);
  if (action.id !== null) action.etag.catch(() => forgetAction(action));
}

export function forgetAction(action: UndoableAction): void {
  undoHistory.set(undoHistory.get().filter((item) => item !== action));
}

/** The action that U undoes: the last one on the open exception, otherwise the last of all. */
export function lastAction(
  all: readonly UndoableAction[],
  id: string | null,
): UndoableAction | undefined {
  return (id === null ? undefined : all.findLast((action) => action.id === id)) ?? all.at(-1);
}

/**
 * Whether an exception looks as after the first of these steps, or more of them: they were applied,
 * and only the response was lost.
 */
export function isApplied(steps: SingleAction["steps"], exception: Exception): boolean {
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
export function inverseOf(before: Exception, patch: Patch): UndoStep[] {
  const wasClosed = before.closed_at !== null;
  if (wasClosed && patch.status === "open")
    return [{ patch: { status: before.status, resolution: before.resolution } }];
  if (patch.status === "resolved" || patch.status === "dismissed") {
    const steps: UndoStep[] = [{ patch: { status: "open" } }];
    if (before.status === "in_review") steps.push({ patch: { status: "in_review" } });
    if (before.paused_at !== null) steps.push(repeatPause(before));
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
export function repeatPause({ pause_reason, paused_until }: Exception): UndoStep {
  const isAhead = paused_until !== null && Date.parse(paused_until) > Date.now();
  return {
    pause: { reason: pause_reason ?? "Paused again", until: isAhead ? paused_until : null },
  };
}

const UNDONE: { [Field in keyof Patch]?: string } = {
  assigned_to: "Assignment undone",
  due_at: "Deadline change undone",
  title: "Title change undone",
};

/** "Assignment undone": what undoing a patch is called. */
export function undoneLabel(patch: Patch): string {
  if (patch.status === "resolved") return "Resolution undone";
  if (patch.status === "dismissed") return "Dismissal undone";
  if (patch.status !== undefined) return "Status change undone";
  const [field] = Object.keys(patch) as (keyof Patch)[];
  if (CHOICE_NAMES.some((name) => name === field))
    return `${fieldLabel(field ?? "")} change undone`;
  return (field && UNDONE[field]) ?? "Change undone";
}

/** Whether an exception still has what a change set, as far as its row is known. */
export function isUnchanged(patch: Patch, row: Exception | undefined): boolean {
  return (
    row === undefined ||
    Object.entries(patch).every(([field, value]) => row[field as keyof Exception] === value)
  );
}

/** Groups exceptions by the steps that undo a change of them, so that each group is one call. */
export function groupsOf(
  before: readonly Exception[],
  stepsOf: (exception: Exception) => readonly UndoStep[],
): BulkGroup[] {
  const groups = new Map<string, { ids: string[]; steps: readonly UndoStep[] }>();
  for (const exception of before) {
    const steps = stepsOf(exception);
    const key = JSON.stringify(steps);
    const group = groups.get(key) ?? { ids: [], steps };
    group.ids.push(exception.id);
    groups.set(key, group);
  }
  return [...groups.values()];
}
