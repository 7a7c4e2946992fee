"use client";

import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import {
  confirmMatchContract,
  createMatchContract,
  type Match,
  rejectMatchContract,
} from "#lib/matching/contract.ts";
import { excludeLineContract } from "#lib/matching/lines/contract.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { reconciliationById } from "../queries.ts";
import { openLinesKey, suggestionsKey } from "./queries.ts";
import type { Undo } from "./use-undo.ts";
import type { Workbench } from "./use-workbench.ts";

export type Adjustment = Match["adjustments"][number];

/**
 * A decision. `settledIds` are the lines that it settles; `partial` means that the page can't know
 * which amounts stay open. `picked` is the selection that it uses, and `at` the current line.
 */
export type DecisionRequest = {
  settledIds: readonly string[];
  partial: boolean;
  done: string;
  /** The name that undoing it refers to: "Match of €4,850.00". */
  label: string;
  picked?: readonly OpenLine[];
  at?: string;
} & (
  | { action: "confirm" | "reject"; match_id: string }
  | {
      action: "match";
      line_ids: string[];
      adjustments?: Adjustment[] | undefined;
      split_line_id?: string | undefined;
    }
  | { action: "exclude"; line_id: string; reason: string }
);

type Pages = InfiniteData<{ items: OpenLine[] }>;

/** Decides, with immediate effect in both lists; a refusal restores the lines and says why. */
export function useDecide(
  id: string,
  { follow, undoOf, remember }: Undo,
  { clear, restore }: Pick<Workbench, "clear" | "restore">,
) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const lists = { queryKey: openLinesKey(tenant) };
  const interrupted = useRef(false);

  function refresh(): void {
    interrupted.current = false;
    cache.invalidateQueries(lists);
  }

  async function remove(settledIds: readonly string[]): Promise<() => void> {
    interrupted.current ||= cache.isFetching(lists) > 0;
    await cache.cancelQueries(lists);
    const before = cache.getQueriesData<Pages>(lists);
    const left = new Set(settledIds);
    cache.setQueriesData<Pages>(
      lists,
      (data) => data && { ...data, pages: data.pages.map((page) => without(page, left)) },
    );
    return () => {
      for (const [key, data] of before) cache.setQueryData(key, data);
      // Another person may have decided, or started to close the period, in the meantime.
      refresh();
      cache.invalidateQueries({ queryKey: reconciliationById(tenant, id).queryKey });
    };
  }

  /**
   * Whether data has been or is being read that doesn't include the decision, or a read was
   * cancelled for it.
   */
  function isBehind(settledIds: readonly string[]): boolean {
    return (
      interrupted.current ||
      cache.isFetching(lists) > 0 ||
      cache.getQueriesData<Pages>(lists).some(([, data]) => holds(data, settledIds))
    );
  }

  async function removeOptimistically(
    settledIds: readonly string[],
    picked: readonly OpenLine[] = [],
  ): Promise<() => void> {
    if (picked.length > 0) clear();
    const revert = await remove(settledIds);
    return () => {
      revert();
      restore(picked);
    };
  }

  function send(decided: DecisionRequest, idempotencyKey: string): Promise<{ id: string }> {
    switch (decided.action) {
      case "confirm":
        return callApi(confirmMatchContract, {
          tenant,
          params: { id: decided.match_id },
          idempotencyKey,
        });
      case "reject":
        return callApi(rejectMatchContract, {
          tenant,
          params: { id: decided.match_id },
          idempotencyKey,
        });
      case "match": {
        const { line_ids, adjustments = [], split_line_id } = decided;
        return callApi(createMatchContract, {
          tenant,
          params: { id },
          body: { line_ids, adjustments, split_line_id },
          idempotencyKey,
        });
      }
      case "exclude": {
        const { line_id, reason } = decided;
        return callApi(excludeLineContract, {
          tenant,
          params: { id: line_id },
          body: { reason, reconciliation_id: id },
          idempotencyKey,
        });
      }
    }
  }

  return useMutate({
    send: (decided: DecisionRequest, idempotencyKey) => follow(send(decided, idempotencyKey)),
    applyOptimistically: ({ settledIds, picked }) => removeOptimistically(settledIds, picked),
    onDone: ({ id: about }, { done, label, partial, action, settledIds, at }) => {
      remember(about, { line: at, label });
      toast(done, { action: { label: "Undo", run: () => undoOf(about) } });
      if (partial || action === "reject" || isBehind(settledIds)) refresh();
      cache.invalidateQueries({ queryKey: suggestionsKey(tenant) });
      cache.invalidateQueries({ queryKey: reconciliationById(tenant, id).queryKey });
      cache.invalidateQueries({ queryKey: resourceKey(tenant, "decisions") });
    },
    failed: "Couldn't save the decision",
  });
}

function without<Page extends { items: OpenLine[] }>(
  page: Page,
  settledIds: ReadonlySet<string>,
): Page {
  return page.items.some(({ id }) => settledIds.has(id))
    ? { ...page, items: page.items.filter(({ id }) => !settledIds.has(id)) }
    : page;
}

function holds(data: Pages | undefined, settledIds: readonly string[]): boolean {
  return data?.pages.some(({ items }) => items.some(({ id }) => settledIds.includes(id))) ?? false;
}
