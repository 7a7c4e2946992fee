"use client";

import { Ban, Check, MoreHorizontal } from "lucide-react";
import { useMember } from "#components/kit/member.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { CardRow, CardTable, Named } from "#components/kit/table.tsx";
import { Person } from "#components/people/person.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuItem, MenuLink } from "#components/ui/menu.tsx";
import { Time } from "#components/ui/time.tsx";
import type { TenantMember } from "#lib/members/contract.ts";
import { isSandbox } from "#lib/wire/sandbox.ts";

/** The columns of the wide table; on narrow screens rows are cards. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[minmax(14rem,1fr)_10rem_7rem_9rem_12rem_3rem] @4xl:gap-x-4";

export type MemberAction = { member: TenantMember; kind: "roles" | "remove" };

export function MemberTable({
  items,
  stale,
  onAction,
}: {
  items: TenantMember[];
  stale: boolean;
  onAction: (act: MemberAction) => void;
}) {
  return (
    <CardTable
      caption="Members"
      grid={COLUMNS}
      columns={[
        "Member",
        "Roles",
        "Status",
        "Open exceptions",
        "Last sign-in",
        ["Actions", "sr-only"],
      ]}
      stale={stale}
    >
      {items.map((item) => (
        <Row key={item.id} member={item} onAction={onAction} />
      ))}
    </CardTable>
  );
}

function Row({
  member,
  onAction,
}: {
  member: TenantMember;
  onAction: (act: MemberAction) => void;
}) {
  const { tenant, self } = useMember();
  // A sandbox's members are its live tenant's.
  const isOwn = !isSandbox(tenant.id);
  const { name, user, email, roles, status, open_exceptions: open, last_sign_in_at } = member;
  return (
    <CardRow grid={COLUMNS} className="gap-y-1.5 py-3 @4xl:min-h-14 @4xl:py-2">
      <td className="min-w-0 @max-4xl:flex-1 @max-4xl:basis-3/4 compact:flex compact:gap-x-3">
        <span className="flex items-center gap-2 font-medium">
          <Person reference={user} />
          {user === self && <span className="text-xs font-normal text-muted">you</span>}
        </span>
        <p className="truncate text-muted" title={email ?? undefined}>
          {email ?? "No address"}
        </p>
      </td>
      <td className="min-w-0 @max-4xl:order-1">
        <Named name="Roles">{roleNames(roles)}</Named>
      </td>
      <td className="@max-4xl:order-1">
        {status === "active" ? (
          <Badge tone="good" icon={Check}>
            Active
          </Badge>
        ) : (
          <Badge tone="warning" icon={Ban}>
            Suspended
          </Badge>
        )}
      </td>
      <td className="tabular-nums @max-4xl:order-1">
        <Named name="Open exceptions">{open >= 1000 ? "1,000+" : open.toLocaleString("en")}</Named>
      </td>
      <td className="tabular-nums @max-4xl:order-1">
        <Named name="Last sign-in">
          {last_sign_in_at ? (
            <Time iso={last_sign_in_at} />
          ) : (
            <span className="text-muted">Never</span>
          )}
        </Named>
      </td>
      <td className="@max-4xl:ml-auto compact:-my-1.5">
        <Menu
          label={`Actions for ${name}`}
          align="end"
          triggerClass={buttonClass({ variant: "ghost", size: "icon" })}
          trigger={
            <>
              <MoreHorizontal aria-hidden className="size-4" />
              <span className="sr-only">Actions for {name}</span>
            </>
          }
        >
          {isOwn && (
            <MenuItem onClick={() => onAction({ member, kind: "roles" })}>Change roles</MenuItem>
          )}
          <MenuLink href={`/${tenant.id}/security-events?target=${encodeURIComponent(user)}`}>
            Audit log
          </MenuLink>
          {isOwn && (
            <MenuItem onClick={() => onAction({ member, kind: "remove" })}>
              Remove from tenant
            </MenuItem>
          )}
        </Menu>
      </td>
    </CardRow>
  );
}
