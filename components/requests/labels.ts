import { Ban, CircleCheck, CircleX, CornerDownRight, type LucideIcon } from "lucide-react";
import type { Tone } from "#components/ui/badge.tsx";
import type { LoggedRequest } from "#lib/request-log/contract.ts";

export const CREDENTIAL_LABELS: Record<LoggedRequest["credential"], string> = {
  api_key: "API key",
  token: "User token",
  session: "Dashboard",
  publishable_key: "Publishable key",
  service_role: "Service-role key",
};

export const STATUS_LABELS = [
  ["failed", "Failed (4xx, 5xx)"],
  ["refused", "Refused before it ran"],
  ["2xx", "2xx"],
  ["3xx", "3xx"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
] as const;

export function signOf(status: number): { icon: LucideIcon; tone: Tone } {
  if (status >= 500) return { icon: CircleX, tone: "danger" };
  if (status >= 400) return { icon: Ban, tone: "warning" };
  if (status >= 300) return { icon: CornerDownRight, tone: "neutral" };
  return { icon: CircleCheck, tone: "good" };
}

/** The actor's name; "who failed to prove it" without one. An API key is named by its ID. */
export function callerLabel({ actor }: Pick<LoggedRequest, "actor">): string {
  return actor?.replace(/^user:/, "").replaceAll("_", " ") ?? "Unknown";
}

/** 84 ms, 1.2 s */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const PAGES: Record<string, (id: string) => string> = {
  exc: (id) => `exceptions?exception=${id}`,
  key: (id) => `api-keys?key=${id}`,
  whk: (id) => `webhooks/${id}`,
  rcn: (id) => `reconciliations/${id}`,
  src: (id) => `sources/${id}`,
  lin: (id) => `lines?line=${id}`,
  sev: (id) => `security-events?event=${id}`,
  req: (id) => `requests?period=14d&request=${id}`,
  evt: (id) => `requests?view=deliveries&event_id=${id}`,
};

/** The page of the resource that an ID identifies, if it has one. */
export function pageOf(tenant: string, id: string): string | null {
  const path = PAGES[id.slice(0, 3)]?.(id);
  return path === undefined ? null : `/${tenant}/${path}`;
}
