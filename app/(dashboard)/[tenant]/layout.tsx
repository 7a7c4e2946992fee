import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { RevealedKey } from "#components/api-keys/revealed-key.tsx";
import { MemberProvider } from "#components/kit/member.tsx";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { AppShell } from "#components/shell/app-shell.tsx";
import { SessionWatch } from "#components/sign-in/session-watch.tsx";
import { Toaster } from "#components/ui/toaster.tsx";
import { callAsMember, requireMember, requireUser } from "#lib/auth/page-context.ts";
import { actorOf } from "#lib/auth/principal.ts";
import { type FirstSteps, getFirstStepsContract } from "#lib/first-steps/contract.ts";
import { getFirstSteps } from "#lib/first-steps/get-first-steps.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import { oidcProviders } from "#lib/runtime/auth-config.ts";
import { allows } from "#lib/wire/access.ts";
import { isSandbox, liveTenantOf } from "#lib/wire/sandbox.ts";
import { pageTenant } from "./page-tenant.ts";

const SURFACE_LINKS = SURFACES.map(({ path, title }) => ({ path, title }));

type Props = { params: Promise<{ tenant: string }>; children: ReactNode };

export default async function TenantLayout({ params, children }: Props) {
  const { tenant: tenantId } = await params;
  const principal = await requireMember(tenantId);
  const { name, roles } = principal;
  const { memberships } = await requireUser();
  const hasFirstSteps = allows(getFirstStepsContract.access, principal);
  const [{ tenant, sandboxId }, firstSteps] = await Promise.all([
    pageTenant(tenantId),
    hasFirstSteps ? findFirstSteps(tenantId) : null,
  ]);
  const own = liveTenantOf(tenantId);
  const sandbox = isSandbox(tenantId) ? [tenantId] : [sandboxId ?? []].flat();
  return (
    <QueryProvider>
      <NuqsAdapter>
        <MemberProvider
          member={{
            tenant,
            name,
            self: actorOf(principal),
            roles,
            sandboxId,
            tenants: [...memberships.keys()].flatMap((id) =>
              id === own ? [id, ...sandbox] : [id],
            ),
          }}
        >
          <AppShell surfaces={SURFACE_LINKS} firstSteps={firstSteps}>
            {children}
          </AppShell>
          <SessionWatch providers={oidcProviders().map(({ id, name }) => ({ id, name }))} />
          <RevealedKey />
        </MemberProvider>
        <Toaster />
      </NuqsAdapter>
    </QueryProvider>
  );
}

/** Null when the database can't be reached: no page fails because of it. */
async function findFirstSteps(tenantId: string): Promise<FirstSteps | null> {
  return callAsMember(tenantId, getFirstStepsContract, getFirstSteps).then(
    ({ data }) => data,
    () => null,
  );
}
