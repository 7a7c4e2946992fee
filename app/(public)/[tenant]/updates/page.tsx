import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { surfaceOf } from "#components/records/surface.ts";
import { RELEASE_NOTES, updatePages } from "#components/records/updates/queries.ts";
import { Updates } from "#components/records/updates/updates.tsx";
import { publicContext } from "#lib/auth/page-context.ts";
import { env } from "#lib/env.ts";
import { ApiError } from "#lib/errors.ts";
import { listRecords } from "#lib/records/list-records.ts";
import { tenantId as tenantIdSchema } from "#lib/schema.ts";
import { getMeContract } from "#lib/tenants/contract.ts";
import { getMe } from "#lib/tenants/get-me.ts";

type Props = { params: Promise<{ tenant: string }> };

/** The tenant's name; 404 for a tenant that doesn't exist. */
const publicTenantName = cache(async (tenantId: string): Promise<string> => {
  if (!tenantIdSchema.safeParse(tenantId).success) notFound();
  try {
    return (await getMe(await publicContext(tenantId, getMeContract))).tenant_name;
  } catch (error) {
    if (error instanceof ApiError && error.code === "tenant_forbidden") notFound();
    throw error;
  }
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${await publicTenantName((await params).tenant)} updates` };
}

export default async function UpdatesPage({ params }: Props) {
  const { tenant: tenantId } = await params;
  const name = await publicTenantName(tenantId);
  const publishableKey = env().SUPABASE_PUBLISHABLE_KEY;
  const { contracts } = surfaceOf(RELEASE_NOTES);
  const updates = prefetch(updatePages(tenantId, publishableKey), ({ ctx, query }) => listRecords(ctx, contracts, query), {
    contextOf: publicContext,
  });
  return (
    <QueryProvider>
      <main className="mx-auto w-full max-w-2xl px-4 py-10 sm:py-16">
        <p className="text-sm text-muted">{name}</p>
        <h1 className="text-2xl font-semibold tracking-tight">Updates</h1>
        <Prefetched reads={[updates]}>
          <Updates tenantId={tenantId} publishableKey={publishableKey} />
        </Prefetched>
      </main>
    </QueryProvider>
  );
}
