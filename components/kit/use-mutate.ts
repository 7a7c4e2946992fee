"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { isRefusal, newIdempotencyKey } from "#components/api-client.ts";
import { toastFailure } from "#components/ui/toast.ts";
import { problemText } from "./problem-text.ts";

type Declared<Input, Answer> = {
  send: (input: Input, idempotencyKey: string) => Promise<Answer>;
  /** Applies the change optimistically and returns how to undo it. */
  foresee?: (input: Input) => Promise<() => void>;
  onDone?: (answer: Answer, input: Input) => void;
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
export function useMutate<Input = void, Answer = unknown>({
  send,
  foresee,
  onDone,
  onRefused,
  failed,
  stale,
}: Declared<Input, Answer>) {
  const cache = useQueryClient();
  const intent = useRef({ given: "", key: "" });
  const { mutate, error, isPending, reset } = useMutation({
    // Fails at once while offline, instead of waiting silently.
    networkMode: "always",
    gcTime: 0,
    // The input stays in these closures, so that no cache holds a secret.
    mutationFn: ({
      run,
    }: {
      run: () => Promise<Answer>;
      foresee: () => Promise<() => void>;
      onDone: (answer: Answer) => void;
    }) => run(),
    onMutate: (attempt) => attempt.foresee(),
    onSuccess: (answer, attempt) => attempt.onDone(answer),
    onError: (problem, _, takeBack) => {
      takeBack?.();
      if (failed) toastFailure(failed, problemText(problem));
      if (isRefusal(problem)) onRefused?.(problem);
    },
    onSettled: () => stale && cache.invalidateQueries({ queryKey: stale }),
  });

  function start(input: Input): void {
    const inputText = JSON.stringify(input) ?? "";
    if (intent.current.key === "" || inputText !== intent.current.given)
      intent.current = { given: inputText, key: newIdempotencyKey() };
    const { key } = intent.current;
    mutate({
      run: () => send(input, key),
      foresee: async () => (await foresee?.(input)) ?? (() => {}),
      onDone: (answer) => {
        intent.current = { given: "", key: "" };
        onDone?.(answer, input);
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
