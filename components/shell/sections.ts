import { AlarmClock, KeyRound, Layers, type LucideIcon, Rows3, Scale, ShieldCheck, TimerReset, Webhook } from "lucide-react";
import { surfaceIcon } from "#components/records/surface-icon.ts";
import type { Permission } from "#lib/wire/access.ts";

/** `letter`: the shortcut after g. `permission`: what its content needs; others see an explanation. */
export type Section = { path: string; name: string; icon: LucideIcon; letter?: string; permission?: Permission };

/** A record surface in the navigation: its full declaration is too much for every page to load. */
export type SurfaceLink = { path: string; title: string };

const SECTIONS: readonly Section[] = [
  { path: "exceptions", name: "Exceptions", icon: TimerReset, letter: "e" },
  { path: "reconciliations", name: "Reconciliations", icon: Scale, letter: "r" },
  { path: "sources", name: "Sources", icon: Layers, letter: "o" },
  { path: "lines", name: "Lines", icon: Rows3, letter: "l" },
];
const ADMIN_SECTIONS: readonly Section[] = [
  { path: "sla-policy", name: "SLA policy", icon: AlarmClock, letter: "s" },
  { path: "api-keys", name: "API keys", icon: KeyRound, letter: "k", permission: "read:api-keys" },
  { path: "webhooks", name: "Webhooks", icon: Webhook, letter: "w", permission: "read:webhooks" },
  { path: "security-events", name: "Security events", icon: ShieldCheck, letter: "u", permission: "read:security-events" },
];

const SURFACE_LETTERS: Record<string, string> = { integrations: "i", troubleshooting: "t", "release-notes": "n" };

export const FIRST_SECTION = "exceptions";

/** The pages of a tenant, in the order of the navigation. */
export function sectionsOf(surfaces: readonly SurfaceLink[]): Section[] {
  const records = surfaces.map(({ path, title }) => ({ path, name: title, icon: surfaceIcon(path), letter: SURFACE_LETTERS[path] }));
  return [...SECTIONS, ...records, ...ADMIN_SECTIONS];
}
