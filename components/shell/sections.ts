import {
  Activity,
  AlarmClock,
  BellRing,
  BookUp,
  CalendarCheck,
  CalendarDays,
  KeyRound,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  Rows3,
  Scale,
  ShieldCheck,
  TestTubeDiagonal,
  TimerReset,
  Users,
  Webhook,
} from "lucide-react";
import { surfaceIcon } from "#components/records/surface-icon.ts";
import type { Permission } from "#lib/wire/access.ts";

/**
 * `path`: within the tenant, empty for its home. `letter`: the shortcut after g. `permission`: what
 * its content needs; others see an explanation.
 */
export type Section = {
  path: string;
  name: string;
  icon: LucideIcon;
  letter?: string;
  permission?: Permission;
};

/** A record surface in the navigation: its full declaration is too much for every page to load. */
export type SurfaceLink = { path: string; title: string };

const WORK: readonly Section[] = [
  { path: "", name: "Overview", icon: LayoutDashboard, letter: "h" },
  { path: "exceptions", name: "Exceptions", icon: TimerReset, letter: "e" },
  { path: "reconciliations", name: "Reconciliations", icon: Scale, letter: "r" },
  { path: "closing-board", name: "Month", icon: CalendarCheck, letter: "d" },
  { path: "entry-batches", name: "Ledger entries", icon: BookUp },
  { path: "sources", name: "Sources", icon: Layers, letter: "o" },
  { path: "lines", name: "Lines", icon: Rows3, letter: "l" },
];
const DEVELOPERS: readonly Section[] = [
  { path: "api-keys", name: "API keys", icon: KeyRound, letter: "k", permission: "read:api-keys" },
  { path: "webhooks", name: "Webhooks", icon: Webhook, letter: "w", permission: "read:webhooks" },
  {
    path: "requests",
    name: "Requests & deliveries",
    icon: Activity,
    letter: "q",
    permission: "read:requests",
  },
  { path: "sandbox", name: "Sandbox", icon: TestTubeDiagonal, permission: "create:sandbox" },
];
const SETTINGS: readonly Section[] = [
  { path: "sla-policy", name: "SLA policy", icon: AlarmClock, letter: "s" },
  { path: "calendars", name: "Calendars", icon: CalendarDays, letter: "c" },
  { path: "members", name: "Members", icon: Users, letter: "m", permission: "read:people" },
  {
    path: "alerts",
    name: "Alerts",
    icon: BellRing,
    letter: "a",
    permission: "read:alert-channels",
  },
  {
    path: "security-events",
    name: "Security events",
    icon: ShieldCheck,
    letter: "u",
    permission: "read:security-events",
  },
];

const SURFACE_LETTERS: Record<string, string> = {
  integrations: "i",
  troubleshooting: "t",
  "release-notes": "n",
};

/** The address of a section in a tenant. */
export function addressOf(tenant: string, path: string): string {
  return path ? `/${tenant}/${path}` : `/${tenant}`;
}

/**
 * The section of a page by the segments of its layout, to be kept when the tenant changes. Groups
 * aren't part of an address.
 */
export function sectionOf(segments: readonly string[]): string {
  return segments.find((segment) => !segment.startsWith("(")) ?? "";
}

/** A tenant's pages by purpose, in the order of the navigation. */
export function groupsOf(
  surfaces: readonly SurfaceLink[],
): { name: string; sections: readonly Section[] }[] {
  const records = surfaces.map(({ path, title }) => ({
    path,
    name: title,
    icon: surfaceIcon(path),
    letter: SURFACE_LETTERS[path],
  }));
  return [
    { name: "Work", sections: WORK },
    { name: "Developers", sections: [...DEVELOPERS, ...records] },
    { name: "Settings", sections: SETTINGS },
  ];
}

/** All pages of a tenant, in the order of the navigation. */
export function sectionsOf(surfaces: readonly SurfaceLink[]): Section[] {
  return groupsOf(surfaces).flatMap(({ sections }) => sections);
}
