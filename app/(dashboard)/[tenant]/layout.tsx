import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { RevealedKey } from "#components/api-keys/revealed-key.tsx";
import { AppShell } from "#components/shell/app-shell.tsx";
import { QueryProvider } from "#components/shell/query-provider.tsx";
import { SessionWatch } from "#components/sign-in/session-watch.tsx";
import { Toasts } from "#components/ui/toasts.tsx";
import { askAsMember, requireMember, requireUser } from "#lib/auth/page-context.ts";
import { type FirstSteps, getFirstStepsContract } from "#lib/first-steps/contract.ts";
import { getFirstSteps } from "#lib/first-steps/get-first-steps.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import { oidcProviders } from "#lib/runtime/trust.ts";
import { allows } from "#lib/wire/access.ts";
import { pageTenant } from "./page-tenant.ts";

const SURFACE_LINKS = SURFACES.map(({ path, title }) => ({ path, title }));

type Props = { params: Promise<{ tenant: string }>; children: ReactNode };

export default async function TenantLayout({ params, children }: Props) {
  const { tenant: tenantId } = await params;
  const principal = await requireMember(tenantId);
  const { memberships } = await requireUser();
  const member = { name: principal.name, roles: principal.roles, tenants: [...memberships.keys()] };
  const hasFirstSteps = allows(getFirstStepsContract.access, principal);
  const [tenant, firstSteps] = await Promise.all([pageTenant(tenantId), hasFirstSteps ? findFirstSteps(tenantId) : null]);
  return (
    <QueryProvider>
      <NuqsAdapter>
        <AppShell tenant={tenant} member={member} surfaces={SURFACE_LINKS} firstSteps={firstSteps}>
          {children}
        </AppShell>
        <SessionWatch tenantId={tenantId} member={member} providers={oidcProviders().map(({ id, name }) => ({ id, name }))} />
        <RevealedKey />
        <Toasts />
      </NuqsAdapter>
    </QueryProvider>
  );
}

/** Null where the database cannot tell: no page fails for them. */
async function findFirstSteps(tenantId: string): Promise<FirstSteps | null> {
  return askAsMember(tenantId, getFirstStepsContract, getFirstSteps).then(
    ({ data }) => data,
    () => null,
  );
}
