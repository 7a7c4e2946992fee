"use client";

import { RotateCw } from "lucide-react";
import { callApi } from "#components/api-client.ts";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelTitle } from "#components/kit/panel-parts.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { type DeliveryDetail, resendWebhookDeliveryContract } from "#lib/webhooks/deliveries/contract.ts";
import { AttemptTimeline } from "./attempt-timeline.tsx";
import { Countdown } from "./countdown.tsx";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { InertText } from "./inert-text.tsx";
import { webhooksKey } from "./queries.ts";
import { Second } from "./second.tsx";

type Props = { webhook: Webhook; delivery: DeliveryDetail };

export function DeliveryDetails({ webhook, delivery }: Props) {
  const { status, type, event_id, failure_kind, reason, next_attempt_at, attempts, payload, created_at, delivered_at } = delivery;
  const body = JSON.stringify(payload, null, 2);
  return (
    <PanelBody>
      <PanelHead>
        <DeliveryBadge status={status} />
        <PanelTitle>{type}</PanelTitle>
        <p role="status" className="sr-only">
          {status === "delivered" ? "Delivered" : status === "failed" ? "Failed" : ""}
        </p>
      </PanelHead>

      {failure_kind && <Note tone="danger">{reason}</Note>}
      {next_attempt_at && attempts.length > 0 && (
        <Note tone="warning">
          Next attempt <Countdown until={next_attempt_at} asOf={created_at} />, <Second iso={next_attempt_at} />.
        </Note>
      )}
      <Resend webhook={webhook} delivery={delivery} />

      <Facts ruled>
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
      </Facts>

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
    </PanelBody>
  );
}

function Resend({ webhook, delivery: { id, status } }: Props) {
  const tenantId = useTenantId();
  const resend = useAttempt({
    send: (deliveryId: string, idempotencyKey) =>
      callApi(resendWebhookDeliveryContract, { tenant: tenantId, params: { id: webhook.id, deliveryId }, idempotencyKey }),
    onDone: () => toast("Resending"),
    failed: "Couldn't resend",
    stale: webhooksKey(tenantId),
  });
  if (webhook.status === "disabled") {
    return <p className="text-sm text-muted">The webhook is disabled. Enable it to resend this delivery.</p>;
  }
  const isBusy = resend.isPending || status === "sending" || status === "pending";
  return (
    <Button size="sm" className="self-start" aria-disabled={isBusy} onClick={() => !isBusy && resend.start(id)}>
      <RotateCw aria-hidden className="size-4 text-muted" />
      {status === "retrying" ? "Retry now" : "Resend"}
    </Button>
  );
}
