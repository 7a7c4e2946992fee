"use client";

import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextArea } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { updateWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";

const REASON_LONGEST = 500;

export function DisableDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const keep = useKeepWebhook();
  const form = useForm({
    initial: { reason: "" },
    send: ({ reason }) =>
      callApi(updateWebhookContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: { status: "disabled", reason: reason.trim() || null },
      }),
    onDone: (disabled) => {
      keep(disabled);
      toast("The webhook is disabled", { description: "Nothing is sent until it is enabled." });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Disable the webhook"
      description="Nothing is sent any more, and what waits for a retry is given up. It is all kept for 30 days: when you enable the webhook you can send it again."
      start="Disable webhook"
      pending="Disabling…"
      danger
      onClose={onClose}
    >
      <TextArea
        label="Reason (optional)"
        hint="Kept with the webhook, for whoever wonders."
        maxLength={REASON_LONGEST}
        {...form.text("reason")}
      />
    </FormDialog>
  );
}
