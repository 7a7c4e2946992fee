import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { surfaceOf } from "#components/records/surface.ts";
import { QueryProvider } from "#components/shell/query-provider.tsx";
import { RELEASE_NOTES, UPDATES_QUERY, updatesQuery } from "#components/updates/queries.ts";
import { Updates } from "#components/updates/updates.tsx";
import { publicContext } from "#lib/auth/page-context.ts";
import { env } from "#lib/env.ts";
import { ApiError } from "#lib/errors.ts";
import { listRecords } from "#lib/records/list-records.ts";
import { tenantId as tenantIdSchema } from "#lib/schema.ts";
import { getMeContract } from "#lib/tenants/contract.ts";
import { getMe } from "#lib/tenants/get-me.ts";

type Props = { params: Promise<{ tenant: string }> };

/** Its name; for a tenant that does not exist there is no such page. */
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
  return { title: `Updates of ${await publicTenantName((await params).tenant)}` };
}

export default async function UpdatesPage({ params }: Props) {
  const { tenant: tenantId } = await params;
  const name = await publicTenantName(tenantId);
  const publishableKey = env().SUPABASE_PUBLISHABLE_KEY;
  const { contracts } = surfaceOf(RELEASE_NOTES);
  const client = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await client.prefetchInfiniteQuery({
    ...updatesQuery(tenantId, publishableKey),
    queryFn: async () => listRecords(await publicContext(tenantId, contracts.list), contracts, contracts.list.query.parse(UPDATES_QUERY)),
  });
  return (
    <QueryProvider>
      <main className="mx-auto w-full max-w-2xl px-4 py-10 sm:py-16">
        <p className="text-sm text-muted">{name}</p>
        <h1 className="text-2xl font-semibold tracking-tight">Updates</h1>
        <HydrationBoundary state={dehydrate(client)}>
          <Updates tenantId={tenantId} publishableKey={publishableKey} />
        </HydrationBoundary>
      </main>
    </QueryProvider>
  );
}
