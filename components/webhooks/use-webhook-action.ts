"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "#components/ui/toast.ts";
import { webhooksKey } from "./queries.ts";

/** Something done at a click: what came of it is said, and the page is looked at anew. */
export function useWebhookAction<Input, Answer>(
  tenantId: string,
  { act, done, failed }: { act: (input: Input) => Promise<Answer>; done: (answer: Answer) => void; failed: string },
) {
  const cache = useQueryClient();
  return useMutation({
    networkMode: "always",
    mutationFn: act,
    onSuccess: done,
    onError: (error) => toast({ title: failed, description: error.message, failed: true }),
    onSettled: () => cache.invalidateQueries({ queryKey: webhooksKey(tenantId) }),
  });
}
