"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { Role } from "#lib/wire/access.ts";

export type Tenant = { id: string; name: string };

/**
 * The signed-in member of the page's tenant. `self` is the member as an assignee; `tenants` are the
 * IDs of all tenants they belong to. `sandboxId`: of a live tenant that has one.
 */
export type Member = {
  tenant: Tenant;
  name: string;
  self: string;
  roles: readonly Role[];
  tenants: readonly string[];
  sandboxId: string | null;
};

const MemberContext = createContext<Member | null>(null);

export function MemberProvider({ member, children }: { member: Member; children: ReactNode }) {
  return <MemberContext value={member}>{children}</MemberContext>;
}

export function useMember(): Member {
  const member = useContext(MemberContext);
  if (!member) throw new Error("useMember is used outside of a tenant's pages.");
  return member;
}

export function useTenantId(): string {
  return useMember().tenant.id;
}
