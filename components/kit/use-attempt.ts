"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { isRefusal, newIdempotencyKey } from "#components/api-client.ts";
import { toastFailure } from "#components/ui/toast.ts";
import { problemText } from "./problem-text.ts";

type Declared<Input, Answer> = {
  send: (input: Input, idempotencyKey: string) => Promise<Answer>;
  /** Shows at once what the change will have done, and answers how to take that back. */
  foresee?: (input: Input) => Promise<() => void>;
  onDone?: (answer: Answer, input: Input) => void;
  onRefused?: (error: Error) => void;
  /** What to say where it fails; left out where a form says it. */
  failed?: string;
  /** What is asked for anew once it has ended, either way. */
  stale?: QueryKey;
};

/**
 * The one way in which a page changes something: tried under an idempotency key that stays the same until it is done or
 * something else is asked, so that trying again after a lost answer is safe.
 */
export function useAttempt<Input = void, Answer = unknown>({ send, foresee, onDone, onRefused, failed, stale }: Declared<Input, Answer>) {
  const cache = useQueryClient();
  const intent = useRef({ given: "", key: "" });
  const { mutate, error, isPending, reset } = useMutation({
    // Without a network it fails now, and not at some time after the page said nothing.
    networkMode: "always",
    gcTime: 0,
    // What is sent is in these functions alone: no cache has a secret in it.
    mutationFn: ({ run }: { run: () => Promise<Answer>; foresee: () => Promise<() => void>; onDone: (answer: Answer) => void }) => run(),
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
    const given = JSON.stringify(input) ?? "";
    if (intent.current.key === "" || given !== intent.current.given) intent.current = { given, key: newIdempotencyKey() };
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
    /** The server said no, and says why. */
    refused: error && isRefusal(error) ? error : null,
    /** No answer says whether it happened: only the same may be tried again. */
    uncertain: error && !isRefusal(error) && !isPending ? error : null,
  };
}
