"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { DeliveryDetails } from "./delivery-details.tsx";
import { deliveryById } from "./queries.ts";

type Props = { webhook: Webhook; id: string | null; onClose: () => void };

export function DeliveryPanel({ webhook, id, onClose }: Props) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(deliveryId) => deliveryById(tenantId, webhook.id, deliveryId)}
      noun="delivery"
      title={({ type }) => `Delivery of ${type}`}
      onClose={onClose}
    >
      {(delivery) => <DeliveryDetails webhook={webhook} delivery={delivery} />}
    </ResourcePanel>
  );
}
