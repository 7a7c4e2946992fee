import { Badge } from "#components/ui/badge.tsx";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { DELIVERY_STATES } from "./labels.ts";

export function DeliveryBadge({ status }: { status: Delivery["status"] }) {
  const { label, icon, tone } = DELIVERY_STATES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}
