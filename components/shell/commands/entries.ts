import {
  BellRing,
  BookOpen,
  CircleUser,
  Clock,
  FileUp,
  Keyboard,
  KeyRound,
  Layers,
  ListChecks,
  LogOut,
  MonitorSmartphone,
  Moon,
  Plus,
  Repeat,
  Scale,
  Sun,
  UserPlus,
  Webhook,
} from "lucide-react";
import type { Member } from "#components/kit/member.tsx";
import { may } from "#components/kit/permissions.ts";
import type { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { localTimeZone, zoneName } from "#components/preferences/time-zone.ts";
import { signOut } from "#components/sign-in/auth-client.ts";
import type { FinderItem } from "#components/ui/finder.tsx";
import { type Access, needs, needsOnSurface } from "#lib/wire/access.ts";
import { addressOf, type SurfaceLink, sectionsOf } from "../sections.ts";
import { openOverlay } from "./overlay.ts";

/** `also`: search words besides the title. */
export type Entry = FinderItem & { also?: string };

type EntryInput = {
  member: Member;
  surfaces: readonly SurfaceLink[];
  preferences: ReturnType<typeof usePreferences>;
  /** The part of the path to keep when the tenant changes. */
  section: string;
};

const ADMINS = "Admins only. Ask a tenant admin.";
const WRITERS = "Admins and leads only. Ask a tenant admin.";

export function pageEntries({ member, surfaces }: EntryInput): Entry[] {
  const { tenant, roles } = member;
  return sectionsOf(surfaces).map(({ path, name, icon, letter, permission }) => ({
    id: `page-${path}`,
    title: name,
    note: permission && !may(roles, needs(permission)) ? "Admins only" : undefined,
    icon,
    also: path ? "go to page" : "go to page home start dashboard",
    keys: letter ? ["g", letter] : undefined,
    href: addressOf(tenant.id, path),
  }));
}

export function actionEntries({ member, surfaces, preferences, section }: EntryInput): Entry[] {
  const { theme, timeZone, setTheme, setTimeZone } = preferences;
  const { tenant, roles } = member;
  const refusal = (access: Access, reason: string) => (may(roles, access) ? undefined : reason);
  const own = `/${tenant.id}`;
  const local = localTimeZone();
  const dark =
    document.documentElement.matches("[data-theme=dark]") ||
    (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  return [
    {
      id: "new-exception",
      title: "New exception",
      icon: Plus,
      also: "create report",
      href: `${own}/exceptions?new=true`,
      refused: refusal(needs("write:exceptions"), "Members with a role only. Ask a tenant admin."),
    },
    {
      id: "import-exceptions",
      title: "Import exceptions",
      icon: FileUp,
      also: "upload file csv ndjson",
      href: `${own}/exceptions/import`,
    },
    {
      id: "create-key",
      title: "Create an API key",
      icon: KeyRound,
      also: "new credential",
      href: `${own}/api-keys?new=true`,
      refused: refusal(needs("write:api-keys"), ADMINS),
    },
    {
      id: "register-webhook",
      title: "Register a webhook",
      icon: Webhook,
      also: "new endpoint create",
      href: `${own}/webhooks?new=true`,
      refused: refusal(needs("write:webhooks"), ADMINS),
    },
    {
      id: "new-reconciliation",
      title: "New reconciliation",
      icon: Scale,
      also: "create",
      href: `${own}/reconciliations?new=true`,
      refused: refusal(needs("write:reconciliations"), WRITERS),
    },
    {
      id: "new-source",
      title: "New source",
      icon: Layers,
      also: "create bank account ledger statement",
      href: `${own}/sources?new=true`,
      refused: refusal(needs("write:reconciliations"), WRITERS),
    },
    {
      id: "invite",
      title: "Invite people",
      icon: UserPlus,
      also: "new member user someone add",
      href: `${own}/members?invite=true`,
      refused: refusal(needs("write:people"), ADMINS),
    },
    {
      id: "add-alert-channel",
      title: "Add an alert channel",
      icon: BellRing,
      also: "new slack notification create",
      href: `${own}/alerts?new=true`,
      refused: refusal(needs("write:alert-channels"), ADMINS),
    },
    ...surfaces.map(({ path, title }) => ({
      id: `new-${path}`,
      title: `New record in ${title}`,
      icon: Plus,
      also: "create",
      href: `${own}/${path}?record=new`,
      refused: refusal(needsOnSurface("write", path), WRITERS),
    })),
    ...member.tenants
      .filter((id) => id !== tenant.id)
      .map((id) => ({
        id: `tenant-${id}`,
        title: `Switch to ${id}`,
        icon: Repeat,
        also: "tenant",
        href: addressOf(id, section),
      })),
    {
      id: "theme",
      title: dark ? "Switch to light theme" : "Switch to dark theme",
      icon: dark ? Sun : Moon,
      also: "appearance mode",
      run: () => setTheme(dark ? "light" : "dark"),
    },
    ...(timeZone === "UTC" && local === "UTC"
      ? []
      : [
          {
            id: "times",
            title:
              timeZone === "UTC" ? `Show local times (${zoneName(local)})` : "Show times in UTC",
            icon: Clock,
            also: "time zone",
            run: () => setTimeZone(timeZone === "UTC" ? local : "UTC"),
          },
        ]),
    {
      id: "docs",
      title: "Documentation",
      icon: BookOpen,
      also: "docs api reference guides help",
      href: "/docs",
    },
    {
      id: "first-steps",
      title: "First steps",
      icon: ListChecks,
      also: "checklist onboarding help",
      run: () => openOverlay.set("first-steps"),
      refused: refusal(needs("read:first-steps"), ADMINS),
    },
    {
      id: "shortcuts",
      title: "Keyboard shortcuts",
      icon: Keyboard,
      also: "help keys",
      keys: ["?"],
      run: () => openOverlay.set("shortcuts"),
    },
    {
      id: "profile",
      title: "Profile",
      icon: CircleUser,
      also: "account password email notifications settings",
      href: `${own}/profile`,
    },
    {
      id: "sessions",
      title: "Sessions",
      icon: MonitorSmartphone,
      also: "devices browsers sign out everywhere",
      run: () => openOverlay.set("sessions"),
    },
    { id: "sign-out", title: "Sign out", icon: LogOut, also: "log out leave", run: signOut },
  ];
}

/** Matches every word of the text as a prefix; titles that start with the text come first. */
export function filterEntries(entries: readonly Entry[], text: string): Entry[] {
  const query = text.toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const found = entries.filter(({ title, also = "" }) => {
    const own = `${title} ${also}`.toLowerCase().split(/[\s().]+/);
    return words.every((word) => own.some((value) => value.startsWith(word)));
  });
  return found.sort(
    (a, b) =>
      Number(b.title.toLowerCase().startsWith(query)) -
      Number(a.title.toLowerCase().startsWith(query)),
  );
}
