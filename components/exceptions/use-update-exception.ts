"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#components/api-client.ts";
import { toast } from "#components/ui/toast.ts";
import { type Exception, updateExceptionContract } from "#lib/exceptions/contract.ts";
import { type Board, withChange } from "./board-cache.ts";
import { boardsKey, exceptionQuery, exceptionsKey } from "./queries.ts";

export type ExceptionPatch = z.input<NonNullable<typeof updateExceptionContract.body>>;

/** Changes an exception: shown at once, taken back where the server refuses. `done`: what to say when it worked. */
export function useUpdateException(tenant: string, id: string) {
  const cache = useQueryClient();
  const { queryKey } = exceptionQuery(tenant, id);
  const boards = { queryKey: boardsKey(tenant) };

  return useMutation({
    mutationFn: ({ patch }: { patch: ExceptionPatch; done: string }) =>
      callApi(updateExceptionContract, { tenant, params: { id }, body: patch }),
    onMutate: async ({ patch }) => {
      await cache.cancelQueries({ queryKey: exceptionsKey(tenant) });
      const before = { exception: cache.getQueryData<Exception>(queryKey), boards: cache.getQueriesData<Board>(boards) };
      cache.setQueryData<Exception>(queryKey, (shown) => shown && ({ ...shown, ...patch } as Exception));
      cache.setQueriesData<Board>(boards, (shown) => shown && withChange(shown, new Set([id]), patch));
      return before;
    },
    onError: (error, _change, before) => {
      cache.setQueryData(queryKey, before?.exception);
      for (const [key, board] of before?.boards ?? []) cache.setQueryData(key, board);
      toast({ title: "Not saved", description: error.message, failed: true });
    },
    onSuccess: (exception, { done }) => {
      cache.setQueryData(queryKey, exception);
      toast({ title: done, failed: false });
    },
    onSettled: () => cache.invalidateQueries({ queryKey: exceptionsKey(tenant) }),
  });
}
