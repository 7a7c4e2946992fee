"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { toast } from "#components/ui/toast.ts";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { type Board, withChange } from "../board-cache.ts";
import { boardsKey, exceptionsKey } from "../queries.ts";
import { type BulkChange, changeInBulk, type Outcome } from "./change-in-bulk.ts";

type Change = BulkChange & { done: string };
type Report = { refused: { item: SlaItem; reason: string }[]; unsent: SlaItem[]; error: Error | null };

/** Changes the selected exceptions optimistically; reverted for each that the server refuses or doesn't respond for. */
export function useBulkChange(selection: { clear: () => void; mark: (ids: readonly string[]) => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const stopping = useRef<AbortController>(null);
  const [progress, setProgress] = useState<{ settled: number; total: number } | null>(null);
  const [report, setReport] = useState<Report | null>(null);

  async function change(chosen: readonly SlaItem[], { done, ...asked }: Change): Promise<void> {
    stopping.current = new AbortController();
    setProgress({ settled: 0, total: chosen.length });
    selection.clear();
    await cache.cancelQueries({ queryKey: exceptionsKey(tenant) });
    const before = cache.getQueriesData<Board>({ queryKey: boardsKey(tenant) });
    const show = (ids: readonly string[]) => {
      for (const [key, board] of before)
        cache.setQueryData(key, board && withChange(board, new Set(ids), "patch" in asked ? asked.patch : {}));
    };
    const ids = chosen.map(({ id }) => id);
    show(ids);
    const outcome = await changeInBulk(
      { tenant, ids, change: asked },
      { onProgress: (settled) => setProgress({ settled, total: ids.length }), signal: stopping.current.signal },
    );
    if (outcome.changed.length < ids.length) show(outcome.changed);
    setProgress(null);
    tell(outcome, done);
    const byId = new Map(chosen.map((item) => [item.id, item]));
    const left = [...outcome.refused.map(({ id }) => id), ...outcome.unsent];
    selection.mark(left);
    if (left.length > 0) setReport(reportOf(outcome, byId));
    await cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
  }

  return { change, progress, stop: () => stopping.current?.abort(), report, closeReport: () => setReport(null) };
}

function tell({ changed }: Outcome, done: string): void {
  if (changed.length === 0) return;
  toast(`${changed.length.toLocaleString("en")} ${changed.length === 1 ? "exception" : "exceptions"} ${done}`);
}

function reportOf({ refused, unsent, error }: Outcome, items: ReadonlyMap<string, SlaItem>): Report {
  return {
    refused: refused.flatMap(({ id, reason }) => {
      const item = items.get(id);
      return item ? [{ item, reason }] : [];
    }),
    unsent: unsent.flatMap((id) => items.get(id) ?? []),
    error,
  };
}
