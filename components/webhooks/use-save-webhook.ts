"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { webhookById, webhooksKey } from "./queries.ts";

/** Caches a returned webhook and refreshes everything that may have changed with it. */
export function useSaveWebhook(): (webhook: Webhook) => void {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  return (webhook) => {
    cache.setQueryData(webhookById(tenantId, webhook.id).queryKey, webhook);
    cache.invalidateQueries({ queryKey: webhooksKey(tenantId) });
  };
}
