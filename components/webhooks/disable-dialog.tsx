"use client";

import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { TextArea } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { updateWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { useAttempt } from "./use-attempt.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";

type Props = { tenantId: string; webhook: Webhook; onClose: () => void };

export function DisableDialog({ tenantId, webhook, onClose }: Props) {
  const keep = useKeepWebhook(tenantId);
  const [reason, setReason] = useState("");
  const attempt = useAttempt({
    send: () =>
      callApi(updateWebhookContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: { status: "disabled", reason: reason.trim() || null },
      }),
    onDone: (disabled) => {
      keep(disabled);
      toast({ title: "The webhook is disabled", description: "Nothing is sent until it is enabled.", failed: false });
      onClose();
    },
  });
  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Disable the webhook"
      description="Nothing is sent any more, and what waits for a retry is given up. It is all kept for 30 days: when you enable the webhook you can send it again."
    >
      <AttemptForm
        legend="Disabling"
        attempt={attempt}
        start="Disable webhook"
        pending="Disabling…"
        danger
        onStart={attempt.start}
        onClose={onClose}
      >
        <TextArea
          label="Reason (optional)"
          hint="Kept with the webhook, for whoever wonders."
          name="reason"
          value={reason}
          maxLength={WEBHOOKS.disabled_detail.most}
          onChange={(event) => setReason(event.target.value)}
        />
      </AttemptForm>
    </Dialog>
  );
}
