import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { RevealedKey } from "#components/api-keys/revealed-key.tsx";
import { AppShell } from "#components/shell/app-shell.tsx";
import { QueryProvider } from "#components/shell/query-provider.tsx";
import { Toasts } from "#components/ui/toasts.tsx";
import { requireMember, requireUser } from "#lib/auth/page-context.ts";
import { SURFACES } from "#lib/records/surfaces/all.ts";
import { pageTenant } from "./page-tenant.ts";

const SURFACE_LINKS = SURFACES.map(({ path, title }) => ({ path, title }));

type Props = { params: Promise<{ tenant: string }>; children: ReactNode };

export default async function TenantLayout({ params, children }: Props) {
  const { tenant: tenantId } = await params;
  const { name, roles } = await requireMember(tenantId);
  const { memberships } = await requireUser();
  return (
    <QueryProvider>
      <NuqsAdapter>
        <AppShell tenant={await pageTenant(tenantId)} member={{ name, roles, tenants: [...memberships.keys()] }} surfaces={SURFACE_LINKS}>
          {children}
        </AppShell>
        <RevealedKey />
        <Toasts />
      </NuqsAdapter>
    </QueryProvider>
  );
}
