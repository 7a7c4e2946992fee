import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { recordPagesQuery, recordQuery } from "#components/records/queries.ts";
import { RecordsPage } from "#components/records/records-page.tsx";
import { recordSearch } from "#components/records/search.ts";
import { findSurface } from "#components/records/surface.ts";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { listRecords } from "#lib/records/list-records.ts";
import { pageTenant } from "../page-tenant.ts";

const loadSearch = createLoader(recordSearch);

type Props = { params: Promise<{ tenant: string; surface: string }>; searchParams: Promise<SearchParams> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const known = findSurface((await params).surface);
  return known ? { title: known.surface.title } : {};
}

export default async function SurfacePage({ params, searchParams }: Props) {
  const { tenant: tenantId, surface: path } = await params;
  const { roles } = await requireMember(tenantId);
  const known = findSurface(path);
  if (!known) notFound();
  const search = await loadSearch(searchParams);
  const { contracts } = known;
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchInfiniteQuery({
    ...recordPagesQuery(tenantId, path, search),
    queryFn: async () =>
      (await askAsMember(tenantId, contracts.list, (ctx) => listRecords(ctx, contracts, contracts.list.query.parse(recordQuery(search)))))
        .data,
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <RecordsPage key={path} tenant={await pageTenant(tenantId)} path={path} roles={roles} />
    </HydrationBoundary>
  );
}
