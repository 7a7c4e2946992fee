import { Badge } from "#components/ui/badge.tsx";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { STATUSES } from "./labels.ts";

export function StatusBadge({ status }: { status: ApiKey["status"] }) {
  const { label, icon, tone } = STATUSES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}
