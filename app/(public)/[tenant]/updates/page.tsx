import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { surfaceOf } from "#components/records/surface.ts";
import { RELEASE_NOTES, updatePages } from "#components/records/updates/queries.ts";
import { Updates } from "#components/records/updates/updates.tsx";
import { callAsVisitor } from "#lib/auth/page-context.ts";
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
  const updates = prefetch(
    updatePages(tenantId, publishableKey),
    ({ ctx, query }) => listRecords(ctx, contracts, query),
    {
      callVerb: callAsVisitor,
    },
  );
  return (
    <QueryProvider>
      <main className="mx-auto w-full max-w-2xl px-4 py-10 sm:py-16">
        <p className="text-sm text-muted">{tenantId}</p>
        <h1 className="text-2xl font-semibold tracking-tight">Updates</h1>
        <Prefetched reads={[updates]}>
          <Updates tenantId={tenantId} publishableKey={publishableKey} />
        </Prefetched>
      </main>
    </QueryProvider>
  );
}
