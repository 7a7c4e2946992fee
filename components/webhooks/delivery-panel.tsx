"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { DeliveryDetails, type OfWebhook } from "./delivery-details.tsx";
import { deliveryById } from "./queries.ts";

/** `id` is that of the row, which starts with the delivery's own. */
type Props = { webhook: OfWebhook; id: string | null; onClose: () => void };

export function DeliveryPanel({ webhook, id, onClose }: Props) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(row) => deliveryById(tenantId, webhook.id, row.split(",")[0] ?? "")}
      noun="delivery"
      title={({ type }) => `Delivery of ${type}`}
      onClose={onClose}
    >
      {(delivery) => <DeliveryDetails webhook={webhook} delivery={delivery} />}
    </ResourcePanel>
  );
}
