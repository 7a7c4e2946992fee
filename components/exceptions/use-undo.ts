"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiProblem, callApi, isRefusal } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { useStore } from "#components/ui/store.ts";
import { toast } from "#components/ui/toast.ts";
import { getExceptionContract, updateExceptionContract } from "#lib/exceptions/contract.ts";
import {
  pauseExceptionContract,
  resumeExceptionContract,
} from "#lib/exceptions/pauses/contract.ts";
import { boardsKey, exceptionsKey } from "./queries.ts";
import { type Act, acts, forget, isTaken, lastAct, type Step } from "./undo.ts";

const NONE: readonly Act[] = [];

/**
 * Undoes actions of this session, unless someone else has changed the exception since. `onDone`
 * receives its ID.
 */
export function useUndo(id: string | null, onDone: (id: string) => void) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const taken = useRef<Act>(undefined);
  const last = lastAct(useStore(acts, NONE), id);
  const { start } = useMutate({
    send: async (act: Act, idempotencyKey) => {
      taken.current = act;
      try {
        const etag = await act.etag;
        for (const [at, step] of act.steps.entries())
          await take(step, act, at === 0 ? etag : null, `${idempotencyKey}-${at}`);
      } catch (problem) {
        if (isRefusal(problem as Error)) forget(act);
        throw problem;
      } finally {
        taken.current = undefined;
      }
    },
    onDone: (_, act) => {
      forget(act);
      // The row returns to its place at once, even while other users' rows wait
      // (use-board-poll.ts).
      cache.invalidateQueries({ queryKey: boardsKey(tenant) });
      toast(`Undone: ${act.done}`);
      onDone(act.id);
    },
    failed: "Couldn't undo",
    stale: exceptionsKey(tenant),
  });

  function take(
    step: Step,
    { id: exception, steps }: Act,
    ifMatch: string | null,
    idempotencyKey: string,
  ): Promise<unknown> {
    const call = { tenant, params: { id: exception } };
    if ("pause" in step)
      return callApi(pauseExceptionContract, { ...call, body: step.pause, idempotencyKey });
    if ("resume" in step) return callApi(resumeExceptionContract, { ...call, idempotencyKey });
    return callApi(updateExceptionContract, { ...call, body: step.patch, ifMatch }).catch(
      async (problem) => {
        if (!(problem instanceof ApiProblem) || problem.status !== 412) throw problem;
        if (isTaken(steps, await callApi(getExceptionContract, call))) return;
        throw new ApiProblem(412, {
          code: "precondition_failed",
          detail: "Someone changed it since. Nothing was undone.",
          request_id: null,
        });
      },
    );
  }

  // The previous action can be undone while lists are still being read again.
  return { last, undo: () => last && last !== taken.current && start(last) };
}
