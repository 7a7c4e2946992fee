"use client";

import { useQuery } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  enableWebhookContract,
  recoverWebhookContract,
  type Webhook,
} from "#lib/webhooks/contract.ts";
import { deliveryCount, formatUrl } from "./labels.ts";
import { missedCount } from "./queries.ts";
import { useSaveWebhook } from "./use-save-webhook.ts";

/** Enables a webhook and, if wanted, recovers what it missed. */
export function EnableDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const save = useSaveWebhook();
  const since = webhook.missed_since;
  const missed = useQuery({
    ...missedCount(tenantId, webhook.id, since ?? ""),
    enabled: since !== null,
  });
  const count = missed.data?.count ?? 0;
  const form = useForm({
    initial: { recovers: true },
    send: async ({ recovers }, idempotencyKey) => {
      const call = { tenant: tenantId, params: { id: webhook.id }, idempotencyKey };
      const enabled = await callApi(enableWebhookContract, call);
      const recovered =
        since && recovers
          ? await callApi(recoverWebhookContract, { ...call, body: { since } })
          : null;
      return { enabled, recovered };
    },
    onDone: ({ enabled, recovered }) => {
      save(enabled);
      const description = recovered
        ? `Resending ${deliveryCount(recovered.count)} to ${formatUrl(enabled.url)}.`
        : `${formatUrl(enabled.url)} receives new events from now on.`;
      toast("Webhook enabled", { description });
      onClose();
    },
  });
  const { recovers } = form.draft;
  return (
    <FormDialog
      form={form}
      title="Enable this webhook?"
      description="New events are sent to it again."
      start={
        since && recovers && count > 0
          ? `Enable and recover ${count.toLocaleString("en")}`
          : "Enable webhook"
      }
      pending="Enabling…"
      onClose={onClose}
    >
      {webhook.disabled_reason === "gone" && (
        <Note tone="warning">
          Its receiver responded with 410 Gone. If it does so again, the webhook is disabled again.
        </Note>
      )}
      {since === null ? (
        <p className="text-sm text-muted">It missed no deliveries in the last 30 days.</p>
      ) : (
        <div className="flex flex-col gap-1">
          <CheckField
            label={`Recover missed deliveries${missed.data ? `: ${deliveryCount(count)}` : ""}`}
            checked={recovers}
            onChange={({ target }) => form.change({ recovers: target.checked })}
          />
          <p className="pl-7 text-sm text-muted">
            The oldest is from <Time iso={since} />. Each keeps its webhook-id, so your receiver can
            ignore duplicates.
          </p>
        </div>
      )}
    </FormDialog>
  );
}
