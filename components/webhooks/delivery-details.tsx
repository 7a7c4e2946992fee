"use client";

import { RotateCw } from "lucide-react";
import Link from "next/link";
import { useContext } from "react";
import { callApi } from "#components/api-client.ts";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelTitle } from "#components/kit/panel-parts.tsx";
import { useKeys } from "#components/kit/use-keys.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { InertText } from "#components/ui/inert-text.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { Note } from "#components/ui/note.tsx";
import { PanelOpen } from "#components/ui/panel-open.ts";
import { Timestamp } from "#components/ui/timestamp.tsx";
import { toast } from "#components/ui/toast.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import {
  type DeliveryDetail,
  resendWebhookDeliveryContract,
} from "#lib/webhooks/deliveries/contract.ts";
import { AttemptTimeline } from "./attempt-timeline.tsx";
import { Countdown } from "./countdown.tsx";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { formatUrl } from "./labels.ts";
import { webhooksKey } from "./queries.ts";

/** `url` is set if the webhook must be named. */
export type OfWebhook = Pick<Webhook, "id" | "status"> & { url?: string | undefined };

type Props = { webhook: OfWebhook; delivery: DeliveryDetail };

export function DeliveryDetails({ webhook, delivery }: Props) {
  const {
    status,
    type,
    event_id,
    failure_kind,
    reason,
    next_attempt_at,
    attempts,
    payload,
    created_at,
    delivered_at,
    request_id,
  } = delivery;
  const tenantId = useTenantId();
  const body = JSON.stringify(payload, null, 2);
  const about = payload?.test ? null : exceptionIn(payload?.data);
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
          Next attempt <Countdown until={next_attempt_at} asOf={created_at} />,{" "}
          <Timestamp iso={next_attempt_at} />.
        </Note>
      )}
      <Resend webhook={webhook} delivery={delivery} />

      <Facts ruled>
        {webhook.url && (
          <Fact name="Webhook">
            <Link
              href={`/${tenantId}/webhooks/${webhook.id}`}
              prefetch={false}
              className="break-all text-accent-text hover:underline"
            >
              {formatUrl(webhook.url)}
            </Link>
          </Fact>
        )}
        {about && (
          <Fact name="Exception">
            <Link
              href={`/${tenantId}/exceptions?exception=${about.id}`}
              prefetch={false}
              className="text-accent-text hover:underline"
            >
              {about.title}
            </Link>
          </Fact>
        )}
        <IdentifierFact name="webhook-id" value={event_id} />
        <IdentifierFact name="Delivery" value={delivery.id} />
        <Fact name="Created">
          <Timestamp iso={created_at} />
        </Fact>
        {request_id && (
          <Fact name="Caused by">
            <Link
              href={`/${tenantId}/requests?request=${request_id}`}
              prefetch={false}
              className="text-accent-text hover:underline"
            >
              <code className="font-mono text-xs break-all">{request_id}</code>
            </Link>
          </Fact>
        )}
        {delivered_at && (
          <Fact name="Delivered">
            <Timestamp iso={delivered_at} />
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

/** The exception that an event is about, if it is about one. */
function exceptionIn(
  data: Record<string, unknown> | undefined,
): { id: string; title: string } | null {
  const { id, title } = (data?.exception ?? {}) as { id?: unknown; title?: unknown };
  return typeof id === "string" && typeof title === "string" ? { id, title } : null;
}

function Resend({ webhook, delivery: { id, status } }: Props) {
  const tenantId = useTenantId();
  const resend = useMutate({
    send: (deliveryId: string, idempotencyKey) =>
      callApi(resendWebhookDeliveryContract, {
        tenant: tenantId,
        params: { id: webhook.id, deliveryId },
        idempotencyKey,
      }),
    onDone: () => toast("Resending", webhook.url ? { description: formatUrl(webhook.url) } : {}),
    failed: "Couldn't resend",
    stale: webhooksKey(tenantId),
  });
  const { singleKeys } = usePreferences();
  const isOpen = useContext(PanelOpen);
  const isDisabled = webhook.status === "disabled";
  const isBusy = resend.isPending || status === "sending" || status === "pending";
  const start = () => !isBusy && resend.start(id);
  useKeys(isOpen && !isDisabled ? [["r", start]] : []);
  if (isDisabled)
    return (
      <p className="text-sm text-muted">
        The webhook is disabled. Enable it to resend this delivery.
      </p>
    );
  return (
    <Button
      size="sm"
      className="self-start"
      aria-disabled={isBusy}
      aria-keyshortcuts={singleKeys ? "R" : undefined}
      onClick={start}
    >
      <RotateCw aria-hidden className="size-4 text-muted" />
      {status === "retrying" ? "Retry now" : "Resend"}
      {singleKeys && (
        <span className="max-sm:hidden">
          <Keys keys={["R"]} />
        </span>
      )}
    </Button>
  );
}
