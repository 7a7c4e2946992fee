import type { CHANNEL_KINDS } from "#lib/alerts/contract.ts";

export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** The alerts that a channel can receive, with explanations. */
export const CHANNEL_LABELS: Record<ChannelKind, { name: string; hint: string }> = {
  exception_breached: { name: "Breaches", hint: "An exception passed its deadline." },
  exception_at_risk: {
    name: "At risk",
    hint: "An exception is close to its deadline, by the warnings of the SLA policy.",
  },
  webhook_failing: { name: "Failing webhooks", hint: "A webhook keeps failing or was disabled." },
  connection_failing: {
    name: "Failing connections",
    hint: "Files of a source can't be fetched or imported.",
  },
  api_key_expiring: { name: "Expiring API keys", hint: "An API key expires in 14, 3 or 1 days." },
};
