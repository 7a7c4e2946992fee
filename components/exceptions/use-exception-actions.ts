"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useMember } from "#components/kit/member.tsx";
import { goToRow, rowAfter, rowOf } from "#components/kit/rows.ts";
import { takesKeys, useKeys } from "#components/kit/use-keys.ts";
import { personName } from "#components/people/person.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { knownException } from "./board-cache.ts";
import { STATUS_LABELS } from "./labels.tsx";
import { pauseFault, tellPauseFault } from "./pause-fault.ts";
import { exceptionById } from "./queries.ts";
import { useResumeException } from "./use-resume-exception.ts";
import { useUndo } from "./use-undo.ts";
import { useUpdateException } from "./use-update-exception.ts";

type Form = "close" | "comment" | "pause";

/** What the panel shows of the acts, and how it starts them. */
export type Acting = ReturnType<typeof useExceptionActions>;

/**
 * The acts on the open exception, by button and by key; with the panel closed, the keys act on the row that has the focus, or, where
 * rows are selected, are the selection's. What takes a row away goes on to the next one. `onOpen`: shows an exception in the panel.
 */
export function useExceptionActions(
  openId: string | null,
  { selects, onOpen }: { selects: boolean; onOpen: (id: string) => void },
) {
  const { tenant, self } = useMember();
  const cache = useQueryClient();
  const change = useUpdateException();
  const resume = useResumeException();
  // Not away from what is typed by the time that it is undone.
  const { last, undo } = useUndo(openId, (id) => id !== openId && !takesKeys() && onOpen(id));
  const assignee = useRef<HTMLButtonElement>(null);
  const [asked, setAsked] = useState<{ id: string; form: Form | "assign" } | null>(null);
  const form = asked !== null && asked.id === openId ? asked.form : null;
  const find = (id: string) =>
    cache.getQueryData<Exception>(exceptionById(tenant.id, id).queryKey) ??
    knownException(cache, tenant.id, id);

  function ask(id: string, wanted: Form | "assign"): void {
    // At once: what is typed next goes into the form.
    flushSync(() => setAsked({ id, form: wanted }));
    if (id !== openId) rowOf(id)?.click();
  }

  function resolve(id: string): void {
    if (find(id)?.closed_at == null) ask(id, "close");
    else change({ id, patch: { status: "open" }, done: "Reopened" });
  }

  function pause(id: string): void {
    const exception = find(id);
    const fault = exception ? pauseFault(exception, serverNow()) : "";
    if (exception?.closed_at === null && exception.paused_at !== null) resume(id);
    else if (fault) tellPauseFault(fault);
    else setAsked({ id, form: "pause" });
  }

  function take(id: string): void {
    if (find(id)?.assigned_to !== self)
      change({ id, patch: { assigned_to: self }, done: `Assigned to ${personName(self)}` });
  }

  /** Closes the form of this render. One that was asked for since stays: what closes it may be a late answer. */
  const cancel = () => {
    setAsked((now) => (now === asked ? null : now));
    // The field that had the focus is gone.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) rowOf(openId)?.focus();
      if (document.activeElement === document.body) panel()?.focus();
    });
  };

  const on = (act: (id: string) => void) => (event: KeyboardEvent) => {
    const row = (event.target as Element).closest?.<HTMLElement>("a[data-row]")?.dataset.row;
    const id = openId ?? (row?.startsWith("exc_") ? row : undefined);
    if (id !== undefined) act(id);
  };
  const undoes = ["u", () => undo()] as const;
  useKeys(
    selects && openId === null
      ? [undoes]
      : [
          ["r", on(resolve)],
          ["a", on((id) => ask(id, "assign"))],
          ["m", on(take)],
          ["c", on((id) => ask(id, "comment"))],
          // A row of the board has this key itself.
          ["p", (event) => !(event.target as Element).closest?.("a[data-row]") && on(pause)(event)],
          undoes,
        ],
  );

  const id = openId ?? "";
  return {
    form,
    /** What is about to be paused. */
    pausing: asked?.form === "pause" ? asked.id : null,
    assignee: assignee as RefObject<HTMLButtonElement | null>,
    undoable: last?.done,
    change: (patch: Parameters<typeof change>[0]["patch"], done: string) =>
      change({ id, patch, done }),
    acts: {
      resolve: () => resolve(id),
      assign: () => ask(id, "assign"),
      take: () => take(id),
      comment: () => ask(id, "comment"),
      pause: () => pause(id),
      undo: () => undo(),
      cancel,
      close(status: "resolved" | "dismissed", resolution: string): void {
        const next = rowAfter(id);
        setAsked(null);
        goToRow(next);
        change({ id, patch: { status, resolution }, done: STATUS_LABELS[status] });
        if (!next) cancel();
      },
    },
  };
}

function panel(): HTMLElement | null {
  return document.querySelector("dialog[data-panel][open]");
}
