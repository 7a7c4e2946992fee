"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { toast } from "#components/ui/toast.ts";
import { type Exception, updateExceptionContract } from "#lib/exceptions/contract.ts";
import { type Board, withChange } from "./board-cache.ts";
import { boardsKey, exceptionById, exceptionsKey } from "./queries.ts";

/** `done`: the toast on success. */
type Change = { patch: z.input<NonNullable<typeof updateExceptionContract.body>>; done: string };

/** Updates an exception optimistically; reverted if the server refuses. */
export function useUpdateException(id: string) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { queryKey } = exceptionById(tenant, id);
  const boards = { queryKey: boardsKey(tenant) };

  return useAttempt({
    send: ({ patch }: Change) => callApi(updateExceptionContract, { tenant, params: { id }, body: patch }),
    foresee: async ({ patch }) => {
      await cache.cancelQueries({ queryKey: exceptionsKey(tenant) });
      const before = { exception: cache.getQueryData<Exception>(queryKey), boards: cache.getQueriesData<Board>(boards) };
      cache.setQueryData<Exception>(queryKey, (shown) => shown && ({ ...shown, ...patch } as Exception));
      cache.setQueriesData<Board>(boards, (shown) => shown && withChange(shown, new Set([id]), patch));
      return () => {
        cache.setQueryData(queryKey, before.exception);
        for (const [key, board] of before.boards) cache.setQueryData(key, board);
      };
    },
    onDone: (exception, { done }) => {
      cache.setQueryData(queryKey, exception);
      toast(done);
    },
    failed: "Couldn't save",
    stale: exceptionsKey(tenant),
  });
}
