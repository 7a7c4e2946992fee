"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import { deleteWebhookContract, listWebhooksContract, type Webhook } from "#lib/webhooks/contract.ts";
import { keyOfWebhook, webhooksKey } from "./queries.ts";
import { shownUrl } from "./words.ts";

type Props = { webhook: Webhook; onClose: () => void; onDeleted: () => void };

export function DeleteDialog({ webhook, onClose, onDeleted }: Props) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: {},
    send: () => callApi(deleteWebhookContract, { tenant: tenantId, params: { id: webhook.id } }),
    onDone: () => {
      toast(`${shownUrl(webhook.url)} is deleted`);
      onClose();
      onDeleted();
      cache.removeQueries({ queryKey: keyOfWebhook(tenantId, webhook.id) });
      cache.invalidateQueries({ queryKey: [...webhooksKey(tenantId), listWebhooksContract.operationId] });
    },
  });
  return (
    <FormDialog
      form={form}
      title="Delete the webhook?"
      description="At once and for good. To pause it, disable it instead."
      start="Delete webhook"
      pending="Deleting…"
      danger
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-base wrap-break-word">
        <li>
          Nothing is sent to <span className="font-medium break-all">{shownUrl(webhook.url)}</span> any more.
        </li>
        <li>What waits for a retry is given up{webhook.missed_since && ", and what it missed can no longer be sent again"}.</li>
        <li>Its secret is destroyed, and its log of deliveries can no longer be read.</li>
      </ul>
    </FormDialog>
  );
}
