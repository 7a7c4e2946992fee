"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { webhookQuery, webhooksKey } from "./queries.ts";

/** Shows a webhook as an answer has it, and looks at everything that may have changed with it. */
export function useKeepWebhook(tenantId: string): (webhook: Webhook) => void {
  const cache = useQueryClient();
  return (webhook) => {
    cache.setQueryData(webhookQuery(tenantId, webhook.id).queryKey, webhook);
    cache.invalidateQueries({ queryKey: webhooksKey(tenantId) });
  };
}
