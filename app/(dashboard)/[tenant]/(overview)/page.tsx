import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { OverviewPage } from "#components/overview/overview-page.tsx";
import { overviewOf } from "#components/overview/queries.ts";
import { getOverview } from "#lib/overview/get-overview.ts";

export const metadata: Metadata = { title: "Overview" };

export default async function Page({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant } = await params;
  return (
    <Prefetched reads={[prefetch(overviewOf(tenant), ({ ctx }) => getOverview(ctx))]}>
      <OverviewPage />
    </Prefetched>
  );
}
