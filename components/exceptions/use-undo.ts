"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiProblem, callApi, isRefusal } from "#components/api-client.ts";
import { useMember, useTenantId } from "#components/kit/member.tsx";
import { resourceKey } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { useStore } from "#components/ui/store.ts";
import { toast } from "#components/ui/toast.ts";
import { getExceptionContract, updateExceptionContract } from "#lib/exceptions/contract.ts";
import {
  pauseExceptionContract,
  resumeExceptionContract,
} from "#lib/exceptions/pauses/contract.ts";
import { listDecisionsContract, undoDecisionContract } from "#lib/matching/workbench/contract.ts";
import { cachedException } from "./board/board-cache.ts";
import { undoInBulk } from "./bulk/undo-in-bulk.ts";
import { boardsKey, exceptionsKey } from "./queries.ts";
import {
  type DecisionStep,
  forgetAction,
  isApplied,
  isUnchanged,
  lastAction,
  type SingleAction,
  type UndoableAction,
  type UndoStep,
  undoHistory,
} from "./undo.ts";

const NONE: readonly UndoableAction[] = [];
const DECISIONS_READ = 100;

/**
 * Undoes an action of this session, unless someone else has changed the exception since. `onDone`
 * receives the ID of a single exception.
 */
export function useUndoAction(onDone: (id: string) => void = () => {}) {
  const tenant = useTenantId();
  const { self } = useMember();
  const cache = useQueryClient();
  const running = useRef<UndoableAction>(undefined);
  const { start } = useMutate({
    send: async (action: UndoableAction, idempotencyKey): Promise<{ refused: number }> => {
      running.current = action;
      try {
        if (action.id === null)
          return await undoInBulk(tenant, action.groups, (id) =>
            isUnchanged(action.patch, cachedException(cache, tenant, id)),
          );
        const etag = await action.etag;
        for (const [at, step] of action.steps.entries())
          await undoStep(step, action, at === 0 ? etag : null, `${idempotencyKey}-${at}`);
        return { refused: 0 };
      } catch (problem) {
        if (isRefusal(problem as Error)) forgetAction(action);
        throw problem;
      } finally {
        running.current = undefined;
      }
    },
    onDone: ({ refused }, action) => {
      forgetAction(action);
      // The row returns to its place at once, even while other users' rows wait
      // (use-board-poll.ts).
      cache.invalidateQueries({ queryKey: boardsKey(tenant) });
      if (action.id === null || action.steps.some((step) => "decision" in step))
        cache.invalidateQueries({ queryKey: resourceKey(tenant, "reconciliations") });
      toast(action.undone, {
        description:
          refused > 0
            ? `${action.title}. ${pluralize(refused, "exception")} ` +
              "changed since and stayed as they are."
            : action.title,
      });
      if (action.id !== null) onDone(action.id);
    },
    failed: "Couldn't undo",
    stale: exceptionsKey(tenant),
  });

  function undoStep(
    step: UndoStep | DecisionStep,
    { id: exception, steps }: SingleAction,
    ifMatch: string | null,
    idempotencyKey: string,
  ): Promise<unknown> {
    const call = { tenant, params: { id: exception } };
    if ("decision" in step) return undoDecision(step.decision, idempotencyKey);
    if ("pause" in step)
      return callApi(pauseExceptionContract, { ...call, body: step.pause, idempotencyKey });
    if ("resume" in step) return callApi(resumeExceptionContract, { ...call, idempotencyKey });
    return callApi(updateExceptionContract, { ...call, body: step.patch, ifMatch }).catch(
      async (problem) => {
        if (!(problem instanceof ApiProblem) || problem.status !== 412) throw problem;
        if (isApplied(steps, await callApi(getExceptionContract, call))) return;
        throw new ApiProblem(412, {
          code: "precondition_failed",
          detail: "Someone changed it since. Nothing was undone.",
          request_id: null,
        });
      },
    );
  }

  async function undoDecision(
    { reconciliation_id, match_id }: DecisionStep["decision"],
    idempotencyKey: string,
  ): Promise<unknown> {
    const { items } = await callApi(listDecisionsContract, {
      tenant,
      params: { id: reconciliation_id },
      query: { limit: DECISIONS_READ },
    });
    const found = items.find(
      (decision) => decision.created_by === self && decision.match_ids.includes(match_id),
    );
    if (!found || found.undone_at !== null) return;
    return callApi(undoDecisionContract, { tenant, params: { id: found.id }, idempotencyKey });
  }

  // The previous action can be undone while lists are still being read again.
  return (action: UndoableAction) =>
    action !== running.current && undoHistory.get().includes(action) && start(action);
}

/** Undoes the last action on the exception with this ID, or else the last of all. */
export function useUndo(id: string | null, onDone: (id: string) => void) {
  const last = lastAction(useStore(undoHistory, NONE), id);
  const undoAction = useUndoAction(onDone);
  return { last, undo: () => last && undoAction(last) };
}
