import {
  Ban,
  CircleCheck,
  CircleX,
  Clock3,
  type LucideIcon,
  MoonStar,
  RotateCw,
  Send,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import type { Tone } from "#components/ui/badge.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import type {
  ATTEMPT_CAUSES,
  ATTEMPT_FAILURE_KINDS,
  ATTEMPT_STATUSES,
  Delivery,
} from "#lib/webhooks/deliveries/contract.ts";
import { EVENT_KINDS, type EventKind } from "#lib/wire/event-kinds.ts";
import { PRODUCT } from "#lib/wire/product.ts";

type Sign = { label: string; icon: LucideIcon; tone: Tone };
export type FailureKind = (typeof ATTEMPT_FAILURE_KINDS)[number];

export const HEALTHS: Record<Webhook["health"], Sign> = {
  healthy: { label: "Healthy", icon: CircleCheck, tone: "good" },
  degraded: { label: "Degraded", icon: TriangleAlert, tone: "warning" },
  failing: { label: "Failing", icon: Unplug, tone: "danger" },
  disabled: { label: "Disabled", icon: Ban, tone: "neutral" },
  idle: { label: "Idle", icon: MoonStar, tone: "info" },
};

export const WEBHOOK_STATUS_LABELS: Record<Webhook["status"], string> = {
  active: "Active",
  disabled: "Disabled",
};

export const DELIVERY_STATES: Record<Delivery["status"], Sign> = {
  pending: { label: "Pending", icon: Clock3, tone: "info" },
  sending: { label: "Sending", icon: Send, tone: "info" },
  retrying: { label: "Retrying", icon: RotateCw, tone: "warning" },
  delivered: { label: "Delivered", icon: CircleCheck, tone: "good" },
  failed: { label: "Failed", icon: CircleX, tone: "danger" },
};

export const ATTEMPT_STATES: Record<(typeof ATTEMPT_STATUSES)[number], Sign> = {
  in_flight: { label: "In flight", icon: Send, tone: "info" },
  succeeded: { label: "Accepted", icon: CircleCheck, tone: "good" },
  failed: { label: "Failed", icon: CircleX, tone: "danger" },
  interrupted: { label: "Interrupted", icon: RotateCw, tone: "neutral" },
};

export const CAUSES: Record<(typeof ATTEMPT_CAUSES)[number], string> = {
  event: "First attempt",
  retry: "Retry",
  resend: "Resent manually",
  recover: "Recovered",
};

/** A failure in two words, as in a delivery's status, with advice. */
export const FAILURES: Record<FailureKind, { label: string; noun: string; advice: string }> = {
  signature_failed: {
    label: "Signature rejected",
    noun: "a rejected signature",
    advice:
      "Check that the receiver uses this webhook's signing " +
      "secret and verifies the raw body before parsing it.",
  },
  stale_secret: {
    label: "Stale secret",
    noun: "a stale secret",
    advice: "Update the receiver's signing secret, then resend the failed deliveries.",
  },
  timeout: {
    label: "Timed out",
    noun: "a timeout",
    advice: "Respond with a 2xx within 15 seconds: acknowledge first, then process.",
  },
  connection_failed: {
    label: "No connection",
    noun: "no connection",
    advice:
      "Check that the receiver is up, that its DNS and certificate are valid, and that its " +
      `firewall allows ${PRODUCT}.`,
  },
  blocked_address: {
    label: "Address blocked",
    noun: "a blocked address",
    advice:
      "Nothing was sent because the host isn't at a public address. " +
      "Edit the URL or fix its DNS record.",
  },
  http_error: {
    label: "HTTP error",
    noun: "an HTTP error",
    advice: "Only a 2xx counts as delivered. Check the receiver's logs.",
  },
};

/** The subscribable event types by group. Tests are sent regardless of subscriptions. */
export const EVENT_GROUPS: readonly { name: string; kinds: readonly EventKind[] }[] = [
  { name: "SLA", kinds: kindsOf("exception.sla.") },
  {
    name: "Exceptions",
    kinds: kindsOf("exception.").filter((kind) => !kind.startsWith("exception.sla.")),
  },
  {
    name: "Reconciliations",
    kinds: [
      "connection.",
      "import.",
      "run.",
      "match.",
      "reconciliation.",
      "entries.",
      "books.",
    ].flatMap(kindsOf),
  },
  { name: "API keys", kinds: kindsOf("api_key.") },
  { name: "Other webhooks", kinds: kindsOf("webhook.").filter((kind) => kind !== "webhook.test") },
];

function kindsOf(prefix: string): EventKind[] {
  return EVENT_KINDS.filter((kind) => kind.startsWith(prefix));
}

/** A URL without its https://. */
export function formatUrl(url: string): string {
  return url.replace(/^https:\/\//, "").replace(/^([^/]+)\/$/, "$1");
}

/** 99.7 %, never rounded to 100 or to 0. */
export function formatRate(rate: number | null): string {
  if (rate === null) return "–";
  if (rate > 0 && rate < 0.001) return "< 0.1 %";
  const percent = Math.floor(rate * 1000) / 10;
  return `${percent.toFixed(percent === 100 || percent === 0 ? 0 : 1)} %`;
}

/** 84 ms, 1.2 s */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** 1 delivery, 1,204 deliveries */
export function deliveryCount(count: number): string {
  return pluralize(count, "delivery", "deliveries");
}
