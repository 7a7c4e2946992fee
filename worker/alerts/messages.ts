import type { AlertKind } from "#lib/alerts/contract.ts";

const SINGULAR: Record<AlertKind, string> = {
  exception_breached: "1 exception passed its deadline",
  exception_at_risk: "1 exception is close to its deadline",
  assigned: "1 exception was assigned to you",
  mentioned: "You were mentioned in 1 comment",
  webhook_failing: "1 webhook is failing",
  api_key_expiring: "1 API key expires soon",
  connection_failing: "1 connection is failing",
};

const PLURAL: Record<AlertKind, (count: string) => string> = {
  exception_breached: (count) => `${count} exceptions passed their deadline`,
  exception_at_risk: (count) => `${count} exceptions are close to their deadline`,
  assigned: (count) => `${count} exceptions were assigned to you`,
  mentioned: (count) => `You were mentioned in ${count} comments`,
  webhook_failing: (count) => `${count} webhooks are failing`,
  api_key_expiring: (count) => `${count} API keys expire soon`,
  connection_failing: (count) => `${count} connections are failing`,
};

/** The headline for a number of alerts of one kind. */
export function headline(kind: AlertKind, count: number): string {
  return count === 1 ? SINGULAR[kind] : PLURAL[kind](count.toLocaleString("en"));
}

const exceptionPage = (id: string) => `exceptions?exception=${encodeURIComponent(id)}`;

/** The page that an alert is about, below its tenant. */
const PAGES: Record<AlertKind, (id: string) => string> = {
  exception_breached: exceptionPage,
  exception_at_risk: exceptionPage,
  assigned: exceptionPage,
  mentioned: exceptionPage,
  webhook_failing: (id) => `webhooks/${id}`,
  api_key_expiring: (id) => `api-keys?key=${encodeURIComponent(id)}`,
  connection_failing: (id) => `sources/${id}`,
};

/** The URL of the page that an alert is about. */
export function pageOf(origin: string, tenantId: string, kind: AlertKind, id: string): string {
  return new URL(`/${tenantId}/${PAGES[kind](id)}`, origin).href;
}

/**
 * Escapes text for Slack's mrkdwn, which reserves three characters.
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function slackText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/\s+/g, " ");
}
