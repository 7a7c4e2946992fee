import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { surfaceOf } from "#components/records/surface.ts";
import { QueryProvider } from "#components/shell/query-provider.tsx";
import { RELEASE_NOTES, UPDATES_QUERY, updatesQuery } from "#components/updates/queries.ts";
import { Updates } from "#components/updates/updates.tsx";
import { askAsVisitor } from "#lib/auth/page-context.ts";
import { listRecords } from "#lib/records/list-records.ts";
import { env } from "#lib/runtime/env.ts";
import { tenantId as tenantIdSchema } from "#lib/wire/schema.ts";

type Props = { params: Promise<{ tenant: string }> };

export const metadata: Metadata = { title: "Updates" };

export default async function UpdatesPage({ params }: Props) {
  const { tenant: tenantId } = await params;
  if (!tenantIdSchema.safeParse(tenantId).success) notFound();
  const publishableKey = env().SUPABASE_PUBLISHABLE_KEY;
  const { contracts } = surfaceOf(RELEASE_NOTES);
  const client = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await client.prefetchInfiniteQuery({
    ...updatesQuery(tenantId, publishableKey),
    queryFn: async () => {
      const query = contracts.list.query.parse(UPDATES_QUERY);
      return (await askAsVisitor(tenantId, contracts.list, (ctx) => listRecords(ctx, contracts, query))).data;
    },
  });
  return (
    <QueryProvider>
      <main className="mx-auto w-full max-w-2xl px-4 py-10 sm:py-16">
        <p className="text-sm text-muted">{tenantId}</p>
        <h1 className="text-2xl font-semibold tracking-tight">Updates</h1>
        <HydrationBoundary state={dehydrate(client)}>
          <Updates tenantId={tenantId} publishableKey={publishableKey} />
        </HydrationBoundary>
      </main>
    </QueryProvider>
  );
}
