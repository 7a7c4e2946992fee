"use client";

import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { isRefusal, newIdempotencyKey } from "#components/api-client.ts";
import { toast } from "#components/ui/toast.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import { reveal } from "./issued.ts";

/**
 * Issues a secret, once however often it is asked: every try of a dialog carries its one idempotency key, so that trying
 * again after a lost answer gives the same key. The secret goes straight to where it is shown, and into no cache.
 */
export function useIssueKey<Input>({
  tenantId,
  rotated,
  issue,
  onClose,
}: {
  tenantId: string;
  rotated: boolean;
  issue: (input: Input, idempotencyKey: string) => Promise<NewApiKey>;
  onClose: () => void;
}) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const busy = useRef(false);
  const { mutate, error, isPending, variables } = useMutation({
    networkMode: "always",
    gcTime: 0,
    mutationFn: async (input: Input) => {
      const key = await issue(input, idempotencyKey);
      // This dialog gives the focus back before the next one takes it.
      flushSync(onClose);
      reveal({ key, tenantId, rotated });
    },
    onSettled: () => {
      busy.current = false;
    },
  });
  const refused = error && isRefusal(error) ? error : null;
  const uncertain = error && !refused ? error : null;

  function start(input: Input) {
    if (busy.current) return;
    busy.current = true;
    mutate(input);
  }

  return {
    isPending,
    /** The server said no, and says why. */
    refused,
    /** No answer says whether it happened: only the same may be tried again. */
    uncertain,
    start,
    retry: () => variables !== undefined && start(variables),
    close: () => {
      if (isPending) return;
      if (uncertain) {
        toast({
          title: "It is not certain whether a key was issued",
          description: "If the list shows one whose secret you never saw, revoke it.",
          failed: true,
        });
      }
      onClose();
    },
  };
}
