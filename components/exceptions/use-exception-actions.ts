"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { bufferKeys } from "#components/kit/key-buffer.ts";
import { useMember } from "#components/kit/member.tsx";
import { goToRow, hasJustShifted, rowAfter, rowOf } from "#components/kit/rows.ts";
import { capturesKeys, useKeys } from "#components/kit/use-keys.ts";
import { personName } from "#components/people/person.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { cachedException } from "./board/board-cache.ts";
import { STATUS_LABELS } from "./labels.tsx";
import { pauseFault, showPauseFault } from "./pauses/pause-fault.ts";
import { useResumeException } from "./pauses/use-resume-exception.ts";
import { exceptionById } from "./queries.ts";
import { useUndo } from "./use-undo.ts";
import { useUpdateException } from "./use-update-exception.ts";

type Form = "close" | "comment" | "pause";

/** The state of the panel's actions, and the functions that start them. */
export type ExceptionActions = ReturnType<typeof useExceptionActions>;

/**
 * The actions on the open exception, by button and key. With the panel closed, the keys act on the
 * focused row or, if rows are selected, on the selection. An action that removes a row moves on to
 * the next one. `onOpen` shows an exception in the panel.
 */
export function useExceptionActions(
  openId: string | null,
  { selects, onOpen }: { selects: boolean; onOpen: (id: string) => void },
) {
  const { tenant, self } = useMember();
  const cache = useQueryClient();
  const change = useUpdateException();
  const resume = useResumeException();
  // Doesn't move away from a field that the user types in when the undo finishes.
  const { last, undo } = useUndo(openId, (id) => id !== openId && !capturesKeys() && onOpen(id));
  const assignee = useRef<HTMLButtonElement>(null);
  /** The exception that was closed last, until another one is open. */
  const left = useRef<string | null>(null);
  if (openId !== left.current) left.current = null;
  const [openForm, setOpenForm] = useState<{ id: string; form: Form | "assign" } | null>(null);
  const form = openForm !== null && openForm.id === openId ? openForm.form : null;
  const find = (id: string) =>
    cache.getQueryData<Exception>(exceptionById(tenant.id, id).queryKey) ??
    cachedException(cache, tenant.id, id);

  function open(id: string, requestedForm: Form | "assign"): void {
    // The panel and its form take a moment to open.
    bufferKeys();
    flushSync(() => setOpenForm({ id, form: requestedForm }));
    if (id !== openId) rowOf(id)?.click();
  }

  function resolve(id: string): void {
    if (find(id)?.closed_at == null) open(id, "close");
    else change({ id, patch: { status: "open" }, done: "Reopened" });
  }

  function pause(id: string): void {
    const exception = find(id);
    const fault = exception ? pauseFault(exception, serverNow()) : "";
    if (exception?.closed_at === null && exception.paused_at !== null) resume(id);
    else if (fault) showPauseFault(fault);
    else setOpenForm({ id, form: "pause" });
  }

  function assignToSelf(id: string): void {
    if (find(id)?.assigned_to !== self)
      change({ id, patch: { assigned_to: self }, done: `Assigned to ${personName(self)}` });
  }

  /**
   * Closes the form of this render. A form opened since stays, because a late response may be what
   * closes it.
   */
  const cancel = () => setOpenForm((now) => (now === openForm ? null : now));

  // The focused field was removed with its form.
  const shownForm = useRef(form);
  useLayoutEffect(() => {
    const closed = shownForm.current !== null && form === null;
    shownForm.current = form;
    if (!closed || document.activeElement !== document.body) return;
    rowOf(openId)?.focus();
    if (document.activeElement === document.body) panel()?.focus();
  });

  const on = (action: (id: string) => void) => (event: KeyboardEvent) => {
    const row = (event.target as Element).closest?.<HTMLElement>("a[data-row]")?.dataset.row;
    const id = openId ?? (row?.startsWith("exc_") ? row : undefined);
    // A key right after a row disappeared was meant for that row, not for the next one.
    if (id !== undefined && id !== left.current && !hasJustShifted()) action(id);
  };
  const undoes = ["u", () => undo()] as const;
  useKeys(
    selects && openId === null
      ? [undoes]
      : [
          ["r", on(resolve)],
          ["a", on((id) => open(id, "assign"))],
          ["m", on(assignToSelf)],
          ["c", on((id) => open(id, "comment"))],
          // The board's rows handle this key themselves.
          ["p", (event) => !(event.target as Element).closest?.("a[data-row]") && on(pause)(event)],
          undoes,
        ],
  );

  const id = openId ?? "";
  return {
    form,
    /** The ID of the exception to pause. */
    pausing: openForm?.form === "pause" ? openForm.id : null,
    assignee: assignee as RefObject<HTMLButtonElement | null>,
    undoable: last?.done,
    change: (patch: Parameters<typeof change>[0]["patch"], done: string) =>
      change({ id, patch, done }),
    actions: {
      resolve: () => resolve(id),
      assign: () => open(id, "assign"),
      take: () => assignToSelf(id),
      comment: () => open(id, "comment"),
      pause: () => pause(id),
      undo: () => undo(),
      cancel,
      close(status: "resolved" | "dismissed", resolution: string): void {
        const next = rowAfter(id);
        left.current = id;
        setOpenForm(null);
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
