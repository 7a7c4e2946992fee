"use client";

import { RotateCw } from "lucide-react";
import { callApi, newIdempotencyKey } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Fact, IdentifierFact } from "#components/ui/fact.tsx";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { type DeliveryDetail, resendWebhookDeliveryContract } from "#lib/webhooks/deliveries/contract.ts";
import { AttemptTimeline } from "./attempt-timeline.tsx";
import { Countdown } from "./countdown.tsx";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { InertText } from "./inert-text.tsx";
import { Second } from "./second.tsx";
import { useWebhookAction } from "./use-webhook-action.ts";

type Props = { tenantId: string; webhook: Webhook; delivery: DeliveryDetail };

export function DeliveryDetails({ tenantId, webhook, delivery }: Props) {
  const { status, type, event_id, failure_kind, reason, next_attempt_at, attempts, payload, created_at, delivered_at } = delivery;
  const body = JSON.stringify(payload, null, 2);
  return (
    <div className="flex flex-col gap-6 px-6 pb-8">
      <div className="flex flex-col items-start gap-2">
        <DeliveryBadge status={status} />
        <h2 className="max-w-full text-xl font-semibold tracking-tight wrap-break-word">{type}</h2>
        <p role="status" className="sr-only">
          {status === "delivered" ? "Delivered" : status === "failed" ? "Failed" : ""}
        </p>
      </div>

      {failure_kind && <Note tone="danger">{reason}</Note>}
      {next_attempt_at && attempts.length > 0 && (
        <Note tone="warning">
          The next try is <Countdown until={next_attempt_at} asOf={created_at} />, <Second iso={next_attempt_at} />.
        </Note>
      )}
      <Resend tenantId={tenantId} webhook={webhook} delivery={delivery} />

      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-y-2.5 border-t border-line pt-5 text-sm">
        <IdentifierFact name="webhook-id" value={event_id} />
        <IdentifierFact name="Delivery" value={delivery.id} />
        <Fact name="Created">
          <Second iso={created_at} />
        </Fact>
        {delivered_at && (
          <Fact name="Delivered">
            <Second iso={delivered_at} />
          </Fact>
        )}
      </dl>

      <AttemptTimeline eventId={event_id} attempts={attempts} />

      {payload && (
        <div className="flex flex-col gap-2">
          <div className="flex items-center justify-between">
            <h3 className="font-semibold">Payload</h3>
            <CopyButton text={body} label="Copy the payload" />
          </div>
          <InertText label="Payload" text={body} />
        </div>
      )}
    </div>
  );
}

function Resend({ tenantId, webhook, delivery: { id, status } }: Props) {
  const resend = useWebhookAction(tenantId, {
    act: (idempotencyKey: string) =>
      callApi(resendWebhookDeliveryContract, { tenant: tenantId, params: { id: webhook.id, deliveryId: id }, idempotencyKey }),
    done: () => toast({ title: "It is sent again", failed: false }),
    failed: "It was not sent again",
  });
  if (webhook.status === "disabled") {
    return <p className="text-sm text-muted">The webhook is disabled. Enable it to send this again.</p>;
  }
  const isBusy = resend.isPending || status === "sending" || status === "pending";
  return (
    <Button size="sm" className="self-start" aria-disabled={isBusy} onClick={() => !isBusy && resend.mutate(newIdempotencyKey())}>
      <RotateCw aria-hidden className="size-4 text-muted" />
      {status === "retrying" ? "Try again now" : "Send again"}
    </Button>
  );
}
