"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { resumeExceptionContract } from "#lib/exceptions/pauses/contract.ts";
import { knownException } from "../board/board-cache.ts";
import { exceptionById, exceptionsKey } from "../queries.ts";
import { recordAction, repeatPause } from "../undo.ts";
import { useUndoAction } from "../use-undo.ts";

/** Resumes a paused exception. */
export function useResumeException() {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const undoAct = useUndoAction();
  const { start } = useMutate({
    send: ({ id }: { id: string; before: Exception | undefined }, idempotencyKey) =>
      callApi(resumeExceptionContract, { tenant, params: { id }, idempotencyKey }),
    onDone: (_, { id, before }) => {
      if (!before) return toast("Resumed");
      const act = {
        id,
        title: before.title,
        done: "Resumed",
        undone: "Resume undone",
        steps: [repeatPause(before)],
        etag: Promise.resolve(null),
      };
      recordAction(act);
      toast(act.done, {
        description: act.title,
        action: { label: "Undo", run: () => undoAct(act) },
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
        knownException(cache, tenant, id),
    });
}
