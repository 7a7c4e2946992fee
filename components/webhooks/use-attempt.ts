"use client";

import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { isRefusal, newIdempotencyKey } from "#components/api-client.ts";

/**
 * Something done once, however often it is tried: each try of a dialog carries its one idempotency key. What is sent is
 * no variable of the mutation, so that no cache has the secret in it.
 */
export function useAttempt<Answer>({
  send,
  onDone,
  onRefused,
}: {
  send: (idempotencyKey: string) => Promise<Answer>;
  onDone: (answer: Answer) => void;
  onRefused?: (error: Error) => void;
}) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const busy = useRef(false);
  const { mutate, error, isPending } = useMutation({
    networkMode: "always",
    gcTime: 0,
    mutationFn: () => send(idempotencyKey),
    onSuccess: onDone,
    onError: (failed) => isRefusal(failed) && onRefused?.(failed),
    onSettled: () => {
      busy.current = false;
    },
  });
  return {
    isPending,
    /** The server said no, and says why. */
    refused: error && isRefusal(error) ? error : null,
    /** No answer says whether it happened: only the same may be tried again. */
    uncertain: error && !isRefusal(error) && !isPending ? error : null,
    start: () => {
      if (busy.current) return;
      busy.current = true;
      mutate();
    },
  };
}

export type Attempt = ReturnType<typeof useAttempt<unknown>>;
