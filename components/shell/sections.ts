import { KeyRound, type LucideIcon, Scale, TimerReset } from "lucide-react";
import { surfaceIcon } from "#components/records/surface-icon.ts";

type Section = { path: string; name: string; icon: LucideIcon };

/** What the navigation shows of a record surface: its declaration is more than every page should load. */
export type SurfaceLink = { path: string; title: string };

const SECTIONS: readonly Section[] = [
  { path: "exceptions", name: "Exceptions", icon: TimerReset },
  { path: "reconciliations", name: "Reconciliations", icon: Scale },
];
const ADMIN_SECTIONS: readonly Section[] = [{ path: "api-keys", name: "API keys", icon: KeyRound }];

export const FIRST_SECTION = "exceptions";

/** The pages of a tenant, in the order of the navigation. */
export function sectionsOf(surfaces: readonly SurfaceLink[]): Section[] {
  return [...SECTIONS, ...surfaces.map(({ path, title }) => ({ path, name: title, icon: surfaceIcon(path) })), ...ADMIN_SECTIONS];
}
