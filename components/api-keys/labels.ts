import { Ban, CircleCheck, Hourglass, type LucideIcon, RefreshCw } from "lucide-react";
import type { Tone } from "#components/ui/badge.tsx";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import type { Scope } from "#lib/wire/access.ts";
import { SCOPES } from "#lib/wire/scopes.ts";

export const STATUSES: Record<ApiKey["status"], { label: string; icon: LucideIcon; tone: Tone }> = {
  active: { label: "Active", icon: CircleCheck, tone: "good" },
  rotating: { label: "Rotating", icon: RefreshCw, tone: "info" },
  expired: { label: "Expired", icon: Hourglass, tone: "warning" },
  revoked: { label: "Revoked", icon: Ban, tone: "neutral" },
};

const ACTIONS = ["read", "write"] as const;
export type Action = (typeof ACTIONS)[number];

/** The resources of the scope catalogue, in its order. */
export const RESOURCES = [...new Set(SCOPES.map((scope) => scope.split(":")[1] ?? scope))];

export function scopeOf(action: Action, resource: string): Scope {
  return `${action}:${resource}` as Scope;
}

export function resourceLabel(resource: string): string {
  return resource.replaceAll("-", " ");
}

/** The scopes by resource: "exceptions" with "read, write". */
export function groupedScopes(
  scopes: readonly string[],
): { resource: string; actions: Action[] }[] {
  return RESOURCES.map((resource) => ({
    resource,
    actions: ACTIONS.filter((action) => scopes.includes(scopeOf(action, resource))),
  })).filter(({ actions }) => actions.length > 0);
}

const REFUSALS: Record<string, string> = {
  ip_not_allowed: "Address not allowed",
  scope_required: "Missing scope",
  role_required: "Users only",
  tenant_forbidden: "Wrong tenant",
  tenant_required: "No tenant given",
  rate_limited: "Rate limited",
  expired: "Key expired",
  revoked: "Key revoked",
};

export function refusalLabel(reason: string): string {
  return REFUSALS[reason] ?? reason.replaceAll("_", " ");
}

/** `tk_1Xb…2aC` */
export function maskedId(keyId: string): string {
  return `${keyId.slice(0, 6)}…${keyId.slice(-3)}`;
}
