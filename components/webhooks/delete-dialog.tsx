"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { toast } from "#components/ui/toast.ts";
import { deleteWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { webhookQuery, webhooksKey } from "./queries.ts";
import { useAttempt } from "./use-attempt.ts";
import { shownUrl } from "./words.ts";

type Props = { tenantId: string; webhook: Webhook; onClose: () => void; onDeleted: () => void };

export function DeleteDialog({ tenantId, webhook, onClose, onDeleted }: Props) {
  const cache = useQueryClient();
  const attempt = useAttempt({
    send: () => callApi(deleteWebhookContract, { tenant: tenantId, params: { id: webhook.id } }),
    onDone: () => {
      toast({ title: `${shownUrl(webhook.url)} is deleted`, failed: false });
      onClose();
      onDeleted();
      cache.removeQueries({ queryKey: webhookQuery(tenantId, webhook.id).queryKey });
      cache.invalidateQueries({ queryKey: [...webhooksKey(tenantId), "list"] });
    },
  });
  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Delete the webhook?"
      description="At once and for good. To pause it, disable it instead."
    >
      <AttemptForm
        legend="Deleting"
        attempt={attempt}
        start="Delete webhook"
        pending="Deleting…"
        danger
        onStart={attempt.start}
        onClose={onClose}
      >
        <ul className="flex list-disc flex-col gap-1 pl-5 text-base wrap-break-word">
          <li>
            Nothing is sent to <span className="font-medium break-all">{shownUrl(webhook.url)}</span> any more.
          </li>
          <li>What waits for a retry is given up{webhook.missed_since && ", and what it missed can no longer be sent again"}.</li>
          <li>Its secret is destroyed, and its log of deliveries can no longer be read.</li>
        </ul>
      </AttemptForm>
    </Dialog>
  );
}
