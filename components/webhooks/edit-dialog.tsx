"use client";

import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import {
  updateWebhookContract,
  type Webhook,
  type WebhookFilters,
} from "#lib/webhooks/contract.ts";
import { formatUrl } from "./labels.ts";
import { filtersOf, optionsOf } from "./options-draft.ts";
import { useSaveWebhook } from "./use-save-webhook.ts";
import { fieldsOf, missingIn, type WebhookDraft, WebhookFields } from "./webhook-fields.tsx";

export function EditDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const save = useSaveWebhook();
  const [before] = useState(webhook);
  const form = useForm({
    initial: {
      url: webhook.url,
      description: webhook.description ?? "",
      events: webhook.events,
      ...optionsOf(webhook),
    } as WebhookDraft,
    check: missingIn,
    send: (draft) =>
      callApi(updateWebhookContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: patchOf(before, draft),
      }),
    onDone: (saved) => {
      save(saved);
      toast("Webhook saved", { description: formatUrl(saved.url) });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Edit webhook"
      description="Deliveries already in flight go to the old URL. Retries use the new one."
      start="Save"
      pending="Saving…"
      onSubmit={() =>
        Object.keys(patchOf(before, form.draft)).length === 0 ? onClose() : form.submit()
      }
      onClose={onClose}
    >
      <WebhookFields form={form} />
    </FormDialog>
  );
}

function sameFilters(a: WebhookFilters, b: WebhookFilters): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A draft's changes. */
function patchOf(before: Webhook, draft: WebhookDraft) {
  const { url, description, events, filters, headers, max_per_minute, oauth } = fieldsOf(draft);
  const options = optionsOf(before);
  return {
    ...(url !== before.url && { url }),
    ...(description !== before.description && { description }),
    ...(events.join() !== before.events.join() && { events }),
    ...(!sameFilters(filters, filtersOf(options.filters)) && { filters }),
    ...(draft.headers !== options.headers && { headers }),
    ...(max_per_minute !== before.max_per_minute && { max_per_minute }),
    ...(JSON.stringify(draft.oauth) !== JSON.stringify(options.oauth) && { oauth }),
  };
}
