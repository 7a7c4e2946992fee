"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import {
  deleteWebhookContract,
  listWebhooksContract,
  type Webhook,
} from "#lib/webhooks/contract.ts";
import { formatUrl } from "./labels.ts";
import { keyOfWebhook, webhooksKey } from "./queries.ts";

type Props = { webhook: Webhook; onClose: () => void; onDeleted: () => void };

export function DeleteDialog({ webhook, onClose, onDeleted }: Props) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: {},
    send: () => callApi(deleteWebhookContract, { tenant: tenantId, params: { id: webhook.id } }),
    onDone: () => {
      toast(`Deleted ${formatUrl(webhook.url)}`);
      onClose();
      onDeleted();
      cache.removeQueries({ queryKey: keyOfWebhook(tenantId, webhook.id) });
      cache.invalidateQueries({
        queryKey: [...webhooksKey(tenantId), listWebhooksContract.operationId],
      });
    },
  });
  return (
    <FormDialog
      form={form}
      title="Delete this webhook?"
      description="This can't be undone. To pause it, disable it instead."
      start="Delete webhook"
      pending="Deleting…"
      danger
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-base wrap-break-word">
        <li>
          No more events are sent to{" "}
          <span className="font-medium break-all">{formatUrl(webhook.url)}</span>.
        </li>
        <li>
          Pending retries are canceled
          {webhook.missed_since && ", and missed deliveries can no longer be recovered"}.
        </li>
        <li>Its signing secret is destroyed and its delivery log is no longer available.</li>
      </ul>
    </FormDialog>
  );
}
