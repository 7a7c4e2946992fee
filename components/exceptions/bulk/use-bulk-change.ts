"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { problemText } from "#components/kit/problem-text.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { toast, toastFailure } from "#components/ui/toast.ts";
import type { Exception, SlaItem } from "#lib/exceptions/contract.ts";
import { type Board, cancelReads, refetchCancelled, withChange } from "../board/board-cache.ts";
import { boardsKey, exceptionsKey } from "../queries.ts";
import {
  groupsOf,
  inverseOf,
  type Patch,
  recordAction,
  repeatPause,
  type UndoStep,
} from "../undo.ts";
import { useUndoAction } from "../use-undo.ts";
import { type BulkChange, changeInBulk, type Outcome } from "./change-in-bulk.ts";
import { changeMatching, type Matching } from "./change-matching.ts";

/** `done` and `undone` are the toasts: "assigned to ada", "Assignment undone". */
export type Change = BulkChange & { done: string; undone: string };
type Named = Pick<SlaItem, "id" | "title">;
type Report = {
  refused: { item: Named; reason: string }[];
  unsent: Named[];
  error: Error | null;
  isSelected: boolean;
};

/**
 * Changes the selected exceptions optimistically. A change is reverted for each exception that the
 * server refuses or doesn't answer for.
 */
export function useBulkChange(selection: {
  clear: () => void;
  mark: (ids: readonly string[]) => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const undoAction = useUndoAction();
  const stopping = useRef<AbortController>(null);
  const [progress, setProgress] = useState<{ settled: number; total: number } | null>(null);
  const [report, setReport] = useState<Report | null>(null);

  async function change(
    chosen: readonly SlaItem[],
    { done, undone, ...requested }: Change,
  ): Promise<void> {
    stopping.current = new AbortController();
    setProgress({ settled: 0, total: chosen.length });
    selection.clear();
    const show = boardsWith(requested);
    const ids = chosen.map(({ id }) => id);
    show(ids);
    const outcome = await changeInBulk(
      { tenant, ids, change: requested },
      {
        onProgress: (settled) => setProgress({ settled, total: ids.length }),
        signal: stopping.current.signal,
      },
    );
    if (outcome.changed.length < ids.length) show(outcome.changed);
    setProgress(null);
    const byId = new Map(chosen.map((item) => [item.id, item]));
    reportChange(
      { done, undone },
      outcome.changed.flatMap((id) => byId.get(id) ?? []),
      requested,
    );
    const left = [...outcome.refused.map(({ id }) => id), ...outcome.unsent];
    selection.mark(left);
    if (left.length > 0) setReport(reportOf(outcome, byId));
    void refetchCancelled(cache, tenant);
    await cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
  }

  /**
   * Stops the reads of the boards, and returns what shows a change of some exceptions instead of
   * the rows of now.
   */
  function boardsWith(requested: BulkChange): (ids: readonly string[]) => void {
    cancelReads(cache, tenant);
    const before = cache.getQueriesData<Board>({ queryKey: boardsKey(tenant) });
    return (ids) => {
      const patch = "patch" in requested ? requested.patch : {};
      for (const [key, board] of before)
        cache.setQueryData(key, board && withChange(board, new Set(ids), patch));
    };
  }

  /**
   * Changes everything that a filter matches. Not optimistic, because most of it isn't loaded; the
   * loaded rows show the change before the toast, whose Undo leaves out what looks different.
   */
  async function changeAll(
    matching: Matching,
    { done, undone, ...requested }: Change,
  ): Promise<void> {
    stopping.current = new AbortController();
    setProgress({ settled: 0, total: matching.count });
    selection.clear();
    const { changed, skipped, error } = await changeMatching(
      { tenant, matching, change: requested },
      {
        onProgress: (settled) => setProgress({ settled, total: matching.count }),
        signal: stopping.current.signal,
      },
    );
    setProgress(null);
    boardsWith(requested)(changed.map(({ id }) => id));
    reportChange({ done, undone }, changed, requested);
    if (error)
      toastFailure(
        changed.length > 0 ? "Stopped before all were changed" : "Nothing was changed",
        problemText(error),
      );
    if (skipped.length > 0) {
      setReport({
        refused: skipped.map(({ id, title, message }) => ({
          item: { id, title },
          reason: message,
        })),
        unsent: [],
        error: null,
        isSelected: false,
      });
    }
    void refetchCancelled(cache, tenant);
    await cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
  }

  function reportChange(
    { done, undone }: Pick<Change, "done" | "undone">,
    before: readonly Exception[],
    requested: BulkChange,
  ): void {
    if (before.length === 0) return;
    const title = pluralize(before.length, "exception");
    const action = {
      id: null,
      title,
      done: `${title} ${done}`,
      undone,
      patch: "patch" in requested ? (requested.patch as Patch) : {},
      groups: groupsOf(before, inverseFor(requested)),
    };
    recordAction(action);
    toast(action.done, {
      ...(before.length === 1 && { description: before[0]?.title }),
      action: { label: "Undo", run: () => undoAction(action) },
    });
  }

  return {
    change,
    changeAll,
    progress,
    stop: () => stopping.current?.abort(),
    report,
    closeReport: () => setReport(null),
  };
}

/** The steps that undo a bulk change of one exception. */
function inverseFor(requested: BulkChange): (before: Exception) => UndoStep[] {
  if ("patch" in requested) return (before) => inverseOf(before, requested.patch as Patch);
  if ("pause" in requested) return () => [{ resume: true }];
  return (before) => (before.paused_at === null ? [] : [repeatPause(before)]);
}

function reportOf(
  { refused, unsent, error }: Outcome,
  items: ReadonlyMap<string, SlaItem>,
): Report {
  return {
    refused: refused.flatMap(({ id, reason }) => {
      const item = items.get(id);
      return item ? [{ item, reason }] : [];
    }),
    unsent: unsent.flatMap((id) => items.get(id) ?? []),
    error,
    isSelected: true,
  };
}
