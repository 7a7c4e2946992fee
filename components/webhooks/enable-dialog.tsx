"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { enableWebhookContract, recoverWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { missedQuery } from "./queries.ts";
import { useAttempt } from "./use-attempt.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";
import { deliveryCount } from "./words.ts";

type Props = { tenantId: string; webhook: Webhook; onClose: () => void };

/** Enables a webhook, and sends again what it missed where one wants that. */
export function EnableDialog({ tenantId, webhook, onClose }: Props) {
  const keep = useKeepWebhook(tenantId);
  const [since] = useState(webhook.missed_since);
  const [recovers, setRecovers] = useState(true);
  const missed = useQuery({ ...missedQuery(tenantId, webhook.id, since ?? ""), enabled: since !== null });
  const count = missed.data?.count ?? 0;

  const attempt = useAttempt({
    send: async (idempotencyKey) => {
      const call = { tenant: tenantId, params: { id: webhook.id }, idempotencyKey };
      const enabled = await callApi(enableWebhookContract, call);
      const recovered = since && recovers ? await callApi(recoverWebhookContract, { ...call, body: { since } }) : null;
      return { enabled, recovered };
    },
    onDone: ({ enabled, recovered }) => {
      keep(enabled);
      toast({
        title: "The webhook is enabled",
        description: recovered ? `${deliveryCount(recovered.count)} sent again.` : "It gets what happens from now on.",
        failed: false,
      });
      onClose();
    },
  });

  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Enable the webhook"
      description="Events are sent to it again from now on, whatever disabled it."
    >
      <AttemptForm
        legend="Enabling"
        attempt={attempt}
        start={since && recovers && count > 0 ? `Enable and send ${count.toLocaleString("en")}` : "Enable webhook"}
        pending="Enabling…"
        onStart={attempt.start}
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
              onChange={(event) => setRecovers(event.target.checked)}
            />
            <p className="pl-7 text-sm text-muted">
              The oldest is of <Time iso={since} />. They keep their webhook-id, so a receiver that saw one already can drop it.
            </p>
          </div>
        )}
      </AttemptForm>
    </Dialog>
  );
}
