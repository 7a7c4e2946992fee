"use client";

import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey } from "#components/kit/query.ts";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { toast } from "#components/ui/toast.ts";
import { confirmMatchContract, createMatchContract, rejectMatchContract } from "#lib/matching/contract.ts";
import { excludeLineContract } from "#lib/matching/lines/contract.ts";
import type { OpenLine } from "#lib/matching/work/contract.ts";
import { reconciliationById } from "../queries.ts";
import { openLinesKey, suggestionsKey } from "./queries.ts";

type Adjustment = { kind: "fee" | "fx" | "rounding" | "write_off" | "other"; amount_minor: number; note: string | null };

/** What a person decides. `gone`: lines that nothing is open of afterwards. `partial`: what else stays open isn't known here. */
export type Decided = { gone: readonly string[]; partial: boolean; done: string } & (
  | { act: "confirm" | "reject"; match_id: string }
  | { act: "match"; line_ids: string[]; adjustments?: Adjustment[]; split_line_id?: string }
  | { act: "exclude"; line_id: string; reason: string }
);

type Pages = InfiniteData<{ items: OpenLine[] }>;

/** Decides, at once in both lists; a refusal brings the lines back and says why. `onUndo`: of the toast's button. */
export function useDecide(id: string, onUndo: () => void) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const lists = { queryKey: openLinesKey(tenant) };

  async function remove(gone: readonly string[]): Promise<() => void> {
    await cache.cancelQueries(lists);
    const before = cache.getQueriesData<Pages>(lists);
    const left = new Set(gone);
    cache.setQueriesData<Pages>(lists, (data) => data && { ...data, pages: data.pages.map((page) => without(page, left)) });
    return () => {
      for (const [key, data] of before) cache.setQueryData(key, data);
      // Somebody else may have decided meanwhile.
      cache.invalidateQueries(lists);
    };
  }

  return useAttempt({
    send: (decided: Decided, idempotencyKey): Promise<unknown> => {
      switch (decided.act) {
        case "confirm":
          return callApi(confirmMatchContract, { tenant, params: { id: decided.match_id }, idempotencyKey });
        case "reject":
          return callApi(rejectMatchContract, { tenant, params: { id: decided.match_id }, idempotencyKey });
        case "match": {
          const { line_ids, adjustments = [], split_line_id } = decided;
          return callApi(createMatchContract, { tenant, params: { id }, body: { line_ids, adjustments, split_line_id }, idempotencyKey });
        }
        case "exclude": {
          const { line_id, reason } = decided;
          return callApi(excludeLineContract, { tenant, params: { id: line_id }, body: { reason, reconciliation_id: id }, idempotencyKey });
        }
      }
    },
    foresee: ({ gone }) => remove(gone),
    onDone: (_, { done, partial, act }) => {
      toast(done, { action: { label: "Undo", run: onUndo } });
      if (partial || act === "reject") cache.invalidateQueries(lists);
      cache.invalidateQueries({ queryKey: suggestionsKey(tenant) });
      cache.invalidateQueries({ queryKey: reconciliationById(tenant, id).queryKey });
      cache.invalidateQueries({ queryKey: resourceKey(tenant, "decisions") });
    },
    failed: "That didn't count",
  });
}

function without<Page extends { items: OpenLine[] }>(page: Page, gone: ReadonlySet<string>): Page {
  return page.items.some(({ id }) => gone.has(id)) ? { ...page, items: page.items.filter(({ id }) => !gone.has(id)) } : page;
}
