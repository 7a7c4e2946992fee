import { Badge } from "#components/ui/badge.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { FAILURES, HEALTHS } from "./labels.ts";

/** A webhook's health, including signature failures. */
export function HealthBadge({ webhook: { health, last_failure_kind } }: { webhook: Webhook }) {
  const { label, icon, tone } = HEALTHS[health];
  return (
    <Badge tone={tone} icon={icon}>
      {health === "failing" && last_failure_kind === "stale_secret"
        ? FAILURES.stale_secret.label
        : label}
    </Badge>
  );
}
