"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { isRefusal, newIdempotencyKey } from "#components/api-client.ts";
import { toastFailure } from "#components/ui/toast.ts";
import { problemText } from "./problem-text.ts";

type MutationOptions<Input, Result> = {
  send: (input: Input, idempotencyKey: string) => Promise<Result>;
  /** Applies the change optimistically and returns how to undo it. */
  applyOptimistically?: (input: Input) => Promise<() => void>;
  onDone?: (result: Result, input: Input) => void;
  onRefused?: (error: Error) => void;
  /** The toast on failure; omit it if a form shows the error. */
  failed?: string;
  /** The query key to invalidate once it has settled. */
  stale?: QueryKey;
};

/**
 * The only way in which pages change something. The idempotency key stays the same until the call
 * succeeds or the input changes, so that retrying after a lost response is safe.
 */
export function useMutate<Input = void, Result = unknown>({
  send,
  applyOptimistically,
  onDone,
  onRefused,
  failed,
  stale,
}: MutationOptions<Input, Result>) {
  const cache = useQueryClient();
  const intent = useRef({ input: "", key: "" });
  const { mutate, error, isPending, reset } = useMutation({
    // Fails at once while offline, instead of waiting silently.
    networkMode: "always",
    gcTime: 0,
    // The input stays in these closures, so that no cache holds a secret.
    mutationFn: ({
      run,
    }: {
      run: () => Promise<Result>;
      applyOptimistically: () => Promise<() => void>;
      onDone: (result: Result) => void;
    }) => run(),
    onMutate: (attempt) => attempt.applyOptimistically(),
    onSuccess: (result, attempt) => attempt.onDone(result),
    onError: (problem, _, revert) => {
      revert?.();
      if (failed) toastFailure(failed, problemText(problem));
      if (isRefusal(problem)) onRefused?.(problem);
    },
    onSettled: () => stale && cache.invalidateQueries({ queryKey: stale }),
  });

  function start(input: Input): void {
    const inputText = JSON.stringify(input) ?? "";
    if (intent.current.key === "" || inputText !== intent.current.input)
      intent.current = { input: inputText, key: newIdempotencyKey() };
    const { key } = intent.current;
    mutate({
      run: () => send(input, key),
      applyOptimistically: async () => (await applyOptimistically?.(input)) ?? (() => {}),
      onDone: (result) => {
        intent.current = { input: "", key: "" };
        onDone?.(result, input);
      },
    });
  }

  return {
    start,
    reset,
    isPending,
    error: isPending ? null : error,
    /** The server's refusal, with its reason. */
    refused: error && isRefusal(error) ? error : null,
    /** There was no response, so it may have happened: only the same request can be retried. */
    uncertain: error && !isRefusal(error) && !isPending ? error : null,
  };
}
