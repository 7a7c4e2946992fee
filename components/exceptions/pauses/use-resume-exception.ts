"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { resumeExceptionContract } from "#lib/exceptions/pauses/contract.ts";
import { cachedException } from "../board/board-cache.ts";
import { exceptionById, exceptionsKey } from "../queries.ts";
import { recordAction, repeatPause } from "../undo.ts";
import { useUndoAction } from "../use-undo.ts";

/** Resumes a paused exception. */
export function useResumeException() {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const undoAction = useUndoAction();
  const { start } = useMutate({
    send: ({ id }: { id: string; before: Exception | undefined }, idempotencyKey) =>
      callApi(resumeExceptionContract, { tenant, params: { id }, idempotencyKey }),
    onDone: (_, { id, before }) => {
      if (!before) return toast("Resumed");
      const action = {
        id,
        title: before.title,
        done: "Resumed",
        undone: "Resume undone",
        steps: [repeatPause(before)],
        etag: Promise.resolve(null),
      };
      recordAction(action);
      toast(action.done, {
        description: action.title,
        action: { label: "Undo", run: () => undoAction(action) },
      });
    },
    failed: "Couldn't resume",
    stale: exceptionsKey(tenant),
  });
  return (id: string) =>
    start({
      id,
      before:
        cache.getQueryData<Exception>(exceptionById(tenant, id).queryKey) ??
        cachedException(cache, tenant, id),
    });
}
