"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { enableWebhookContract, recoverWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { missedCount } from "./queries.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";
import { deliveryCount } from "./words.ts";

/** Enables a webhook, and sends again what it missed where one wants that. */
export function EnableDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const keep = useKeepWebhook();
  const [since] = useState(webhook.missed_since);
  const missed = useQuery({ ...missedCount(tenantId, webhook.id, since ?? ""), enabled: since !== null });
  const count = missed.data?.count ?? 0;
  const form = useForm({
    initial: { recovers: true },
    send: async ({ recovers }, idempotencyKey) => {
      const call = { tenant: tenantId, params: { id: webhook.id }, idempotencyKey };
      const enabled = await callApi(enableWebhookContract, call);
      const recovered = since && recovers ? await callApi(recoverWebhookContract, { ...call, body: { since } }) : null;
      return { enabled, recovered };
    },
    onDone: ({ enabled, recovered }) => {
      keep(enabled);
      const description = recovered ? `${deliveryCount(recovered.count)} sent again.` : "It gets what happens from now on.";
      toast("The webhook is enabled", { description });
      onClose();
    },
  });
  const { recovers } = form.draft;
  return (
    <FormDialog
      form={form}
      title="Enable the webhook"
      description="Events are sent to it again from now on, whatever disabled it."
      start={since && recovers && count > 0 ? `Enable and send ${count.toLocaleString("en")}` : "Enable webhook"}
      pending="Enabling…"
      onClose={onClose}
    >
      {webhook.disabled_reason === "gone" && (
        <Note tone="warning">Its receiver answered 410 Gone. If it does so again, the webhook is disabled again.</Note>
      )}
      {since === null ? (
        <p className="text-sm text-muted">It missed nothing of the last 30 days.</p>
      ) : (
        <div className="flex flex-col gap-1">
          <CheckField
            label={`Send again what it missed${missed.data ? `: ${deliveryCount(count)}` : ""}`}
            checked={recovers}
            onChange={({ target }) => form.change({ recovers: target.checked })}
          />
          <p className="pl-7 text-sm text-muted">
            The oldest is of <Time iso={since} />. They keep their webhook-id, so a receiver that saw one already can drop it.
          </p>
        </div>
      )}
    </FormDialog>
  );
}
