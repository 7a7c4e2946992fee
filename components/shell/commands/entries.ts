import {
  BookOpen,
  Clock,
  FileUp,
  Keyboard,
  KeyRound,
  ListChecks,
  LogOut,
  type LucideIcon,
  Moon,
  Plus,
  Repeat,
  Scale,
  Sun,
  Webhook,
} from "lucide-react";
import { bringToFront } from "#components/shell/commands/front.ts";
import { signOut } from "#components/sign-in/auth-client.ts";
import { type Access, allows, needs, needsOnSurface } from "#lib/wire/access.ts";
import type { Member, Tenant } from "../member.ts";
import type { usePreferences } from "../preferences-provider.tsx";
import { type SurfaceLink, sectionsOf } from "../sections.ts";

/** `refused`: why this reader cannot. What has an `href` is gone to, the others are run. */
export type Entry = {
  id: string;
  title: string;
  note?: string;
  icon: LucideIcon;
  /** Words that it is found by beside its title. */
  also?: string;
  keys?: readonly string[];
  refused?: string;
} & ({ href: string } | { run: () => void });

export type Group = { name: string; entries: readonly Entry[] };

type Given = {
  tenant: Tenant;
  member: Member;
  surfaces: readonly SurfaceLink[];
  preferences: ReturnType<typeof usePreferences>;
  /** What of the path stays when the tenant changes. */
  section: string;
};

const ADMINS = "Only an admin may. Ask one of your tenant's.";
const WRITERS = "Only an admin or a lead may. Ask one of your tenant's.";

export function pageEntries({ tenant, member, surfaces }: Given): Entry[] {
  return sectionsOf(surfaces).map(({ path, name, icon, letter, permission }) => ({
    id: `page-${path}`,
    title: name,
    note: permission && !may(member, needs(permission)) ? "For admins" : undefined,
    icon,
    also: "go to page",
    keys: letter ? ["g", letter] : undefined,
    href: `/${tenant.id}/${path}`,
  }));
}

export function actionEntries({ tenant, member, surfaces, preferences, section }: Given): Entry[] {
  const { theme, timeZone, setTheme, setTimeZone } = preferences;
  const own = `/${tenant.id}`;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const dark =
    document.documentElement.matches("[data-theme=dark]") || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  return [
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
      refused: may(member, needs("write:api-keys")) ? undefined : ADMINS,
    },
    {
      id: "register-webhook",
      title: "Register a webhook",
      icon: Webhook,
      also: "new endpoint create",
      href: `${own}/webhooks?new=true`,
      refused: may(member, needs("write:webhooks")) ? undefined : ADMINS,
    },
    {
      id: "new-reconciliation",
      title: "New reconciliation",
      icon: Scale,
      also: "create",
      href: `${own}/reconciliations?new=true`,
      refused: may(member, needs("write:reconciliations")) ? undefined : WRITERS,
    },
    ...surfaces.map(({ path, title }) => ({
      id: `new-${path}`,
      title: `New record in ${title}`,
      icon: Plus,
      also: "create",
      href: `${own}/${path}?record=new`,
      refused: may(member, needsOnSurface("write", path)) ? undefined : WRITERS,
    })),
    ...member.tenants
      .filter((id) => id !== tenant.id)
      .map((id) => ({ id: `tenant-${id}`, title: `Switch to ${id}`, icon: Repeat, also: "tenant", href: `/${id}/${section}` })),
    {
      id: "theme",
      title: dark ? "Use the light theme" : "Use the dark theme",
      icon: dark ? Sun : Moon,
      also: "appearance mode",
      run: () => setTheme(dark ? "light" : "dark"),
    },
    ...(timeZone === "UTC" && local === "UTC"
      ? []
      : [
          {
            id: "times",
            title: timeZone === "UTC" ? `Show local times (${local.replaceAll("_", " ")})` : "Show times in UTC",
            icon: Clock,
            also: "time zone",
            run: () => setTimeZone(timeZone === "UTC" ? local : "UTC"),
          },
        ]),
    { id: "docs", title: "Documentation", icon: BookOpen, also: "docs api reference guides help", href: "/docs" },
    {
      id: "first-steps",
      title: "First steps",
      icon: ListChecks,
      also: "checklist onboarding help",
      run: () => bringToFront("first-steps"),
      refused: may(member, needs("read:first-steps")) ? undefined : ADMINS,
    },
    {
      id: "shortcuts",
      title: "Keyboard shortcuts",
      icon: Keyboard,
      also: "help keys",
      keys: ["?"],
      run: () => bringToFront("shortcuts"),
    },
    { id: "sign-out", title: "Sign out", icon: LogOut, also: "log out leave", run: signOut },
  ];
}

function may({ roles }: Member, access: Access): boolean {
  return allows(access, { type: "user", roles });
}

/** Those with a word that begins with each word of the text; who begins with the text comes first. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const wanted = text.toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const found = entries.filter(({ title, also = "" }) => {
    const own = `${title} ${also}`.toLowerCase().split(/[\s().]+/);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  });
  return found.sort((a, b) => Number(b.title.toLowerCase().startsWith(wanted)) - Number(a.title.toLowerCase().startsWith(wanted)));
}
