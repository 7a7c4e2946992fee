"use client";

import { useQueries } from "@tanstack/react-query";
import { Check, ChevronsUpDown } from "lucide-react";
import { useSelectedLayoutSegments } from "next/navigation";
import { callApi } from "#components/api-client.ts";
import { type Tenant, useMember } from "#components/kit/member.tsx";
import { SandboxMark } from "#components/kit/sandbox-mark.tsx";
import { Menu, MenuLink } from "#components/ui/menu.tsx";
import { getMeContract } from "#lib/tenants/contract.ts";
import { isSandbox } from "#lib/wire/sandbox.ts";
import { addressOf, sectionOf } from "./sections.ts";

/** Shows the tenant, and switches to the same page of another one. */
export function TenantSwitcher() {
  const { tenant, tenants } = useMember();
  if (tenants.length < 2) {
    return (
      <p className="flex min-h-11 items-center gap-2.5 px-2">
        <TenantMark name={tenant.name} />
        <TenantName {...tenant} />
      </p>
    );
  }
  return (
    <Menu
      label="Switch tenant"
      triggerClass="flex min-h-11 w-full items-center gap-2.5 rounded-md px-2 text-left transition-colors duration-100 hover:bg-hover aria-expanded:bg-hover"
      trigger={
        <>
          <TenantMark name={tenant.name} />
          <span className="sr-only">Switch tenant from</span>
          <TenantName {...tenant} />
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </>
      }
    >
      <TenantLinks />
    </Menu>
  );
}

/** Mounted only while the menu is open, so that tenant names are fetched on demand. */
function TenantLinks() {
  const { tenant, tenants } = useMember();
  const section = sectionOf(useSelectedLayoutSegments());
  const names = useQueries({
    queries: tenants.map((id) => ({
      queryKey: ["tenants", id, "me"],
      queryFn: () => callApi(getMeContract, { tenant: id }),
      staleTime: Number.POSITIVE_INFINITY,
      enabled: id !== tenant.id,
    })),
  });
  return tenants.map((id, index) => (
    <MenuLink
      key={id}
      href={addressOf(id, section)}
      aria-current={id === tenant.id ? "true" : undefined}
    >
      <TenantName
        id={id}
        name={id === tenant.id ? tenant.name : (names[index]?.data?.tenant_name ?? id)}
      />
      {id === tenant.id && <Check aria-hidden className="size-4 shrink-0 text-accent-text" />}
    </MenuLink>
  ));
}

/** A sandbox shows its live tenant's name, with a sandbox mark instead of the ID. */
function TenantName({ id, name }: Tenant) {
  return (
    <span className="min-w-0 flex-1">
      <span className="block truncate font-semibold">{name}</span>
      {isSandbox(id) ? (
        <SandboxMark tenant={id} />
      ) : (
        <span className="block truncate font-mono text-xs leading-4 text-muted">{id}</span>
      )}
    </span>
  );
}

function TenantMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="flex size-7 shrink-0 items-center justify-center rounded-md border border-line bg-raised text-sm font-semibold shadow-raised"
    >
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
