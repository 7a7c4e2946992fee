import {
  Activity,
  KeyRound,
  Layers,
  type LucideIcon,
  Rows3,
  Scale,
  Send,
  ShieldCheck,
  TimerReset,
  Webhook,
} from "lucide-react";
import type { Member } from "#components/kit/member.tsx";
import { may } from "#components/kit/permissions.ts";
import { pageOf } from "#components/requests/labels.ts";
import type { FinderItem } from "#components/ui/finder.tsx";
import { needs, type Permission } from "#lib/wire/access.ts";

const ID = /^[a-z]{3}_[0-9a-z]{20,40}$/;

/** By the prefix of an ID. */
const KINDS: Record<string, { title: string; icon: LucideIcon; permission?: Permission }> = {
  exc: { title: "Open exception", icon: TimerReset },
  rcn: { title: "Open reconciliation", icon: Scale },
  src: { title: "Open source", icon: Layers },
  lin: { title: "Open line", icon: Rows3 },
  key: { title: "Open API key", icon: KeyRound, permission: "read:api-keys" },
  whk: { title: "Open webhook", icon: Webhook, permission: "read:webhooks" },
  req: { title: "Open request", icon: Activity, permission: "read:requests" },
  evt: { title: "Show deliveries of event", icon: Send, permission: "read:requests" },
  sev: { title: "Open security event", icon: ShieldCheck, permission: "read:security-events" },
};

/** The page of a pasted ID. Whether the ID exists shows on that page. */
export function byId(
  { tenant, roles }: Pick<Member, "tenant" | "roles">,
  text: string,
): FinderItem[] {
  const id = text.trim();
  const kind = ID.test(id) ? KINDS[id.slice(0, 3)] : undefined;
  const href = kind && pageOf(tenant.id, id);
  if (!kind || !href) return [];
  const { title, icon, permission } = kind;
  const isRefused = permission !== undefined && !may(roles, needs(permission));
  return [
    {
      id: "by-id",
      title,
      note: id,
      icon,
      href,
      ...(isRefused && { refused: "Admins only. Ask a tenant admin." }),
    },
  ];
}
