"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { callApiWithTag } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import { type Exception, updateExceptionContract } from "#lib/exceptions/contract.ts";
import {
  type Board,
  cachedException,
  cancelReads,
  refetchCancelled,
  withChange,
} from "./board/board-cache.ts";
import { boardsKey, exceptionById, exceptionsKey } from "./queries.ts";
import { inverseOf, type Patch, recordAction, type SingleAction, undoneLabel } from "./undo.ts";
import { useUndoAction } from "./use-undo.ts";

/** `done` is the toast on success, and the name of the action when it is undone. */
type Change = { id: string; patch: Patch; done: string };

/** Updates exceptions optimistically; reverted if the server refuses. */
export function useUpdateException() {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const keyOf = (id: string) => exceptionById(tenant, id).queryKey;
  const boards = { queryKey: boardsKey(tenant) };
  const undoAction = useUndoAction();
  const sentActions = useRef(new Map<string, SingleAction>());

  const { start } = useMutate({
    send: ({ id, patch, done, before }: Change & { before: Exception | undefined }) => {
      const sent = callApiWithTag(updateExceptionContract, { tenant, params: { id }, body: patch });
      if (before) {
        const action = {
          id,
          title: before.title,
          done,
          undone: undoneLabel(patch),
          steps: inverseOf(before, patch),
          etag: sent.then(({ etag }) => etag),
        };
        recordAction(action);
        sentActions.current.set(id, action);
      }
      return sent;
    },
    applyOptimistically: async ({ id, patch }) => {
      cancelReads(cache, tenant);
      const before = {
        exception: cache.getQueryData<Exception>(keyOf(id)),
        boards: cache.getQueriesData<Board>(boards),
      };
      cache.setQueryData<Exception>(
        keyOf(id),
        (current) => current && ({ ...current, ...patch } as Exception),
      );
      cache.setQueriesData<Board>(
        boards,
        (current) => current && withChange(current, new Set([id]), patch),
      );
      return () => {
        cache.setQueryData(keyOf(id), before.exception);
        for (const [key, board] of before.boards) cache.setQueryData(key, board);
      };
    },
    onDone: ({ data }, { id, done }) => {
      cache.setQueryData(keyOf(id), data);
      void refetchCancelled(cache, tenant);
      const action = sentActions.current.get(id);
      toast(done, {
        description: data.title,
        ...(action && { action: { label: "Undo", run: () => undoAction(action) } }),
      });
    },
    failed: "Couldn't save",
    stale: exceptionsKey(tenant),
  });

  return (change: Change) =>
    start({
      ...change,
      before:
        cache.getQueryData<Exception>(keyOf(change.id)) ??
        cachedException(cache, tenant, change.id),
    });
}
