"use client";

import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextArea } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { updateWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { formatUrl } from "./labels.ts";
import { useSaveWebhook } from "./use-save-webhook.ts";

export function DisableDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const save = useSaveWebhook();
  const form = useForm({
    initial: { reason: "" },
    send: ({ reason }) =>
      callApi(updateWebhookContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: { status: "disabled", reason: reason.trim() || null },
      }),
    onDone: (disabled) => {
      save(disabled);
      toast("Webhook disabled", {
        description: `${formatUrl(disabled.url)} gets no events until you enable it.`,
      });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Disable this webhook?"
      description="No more events are sent and pending retries are canceled. Missed deliveries are kept for 30 days, so you can recover them when you enable the webhook."
      start="Disable webhook"
      pending="Disabling…"
      danger
      onClose={onClose}
    >
      <TextArea
        label="Reason (optional)"
        hint="Shown to your team on this webhook."
        maxLength={WEBHOOKS.disabled_detail.max}
        {...form.text("reason")}
      />
    </FormDialog>
  );
}
