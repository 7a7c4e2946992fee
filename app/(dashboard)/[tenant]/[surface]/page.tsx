import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { recordPages } from "#components/records/queries.ts";
import { RecordList } from "#components/records/record-list.tsx";
import { recordSearch } from "#components/records/search.ts";
import { findSurface } from "#components/records/surface.ts";
import { listRecords } from "#lib/records/list-records.ts";

const loadSearch = createLoader(recordSearch);

type Props = {
  params: Promise<{ tenant: string; surface: string }>;
  searchParams: Promise<SearchParams>;
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const known = findSurface((await params).surface);
  return known ? { title: known.surface.title } : {};
}

export default async function SurfacePage({ params, searchParams }: Props) {
  const { tenant, surface: path } = await params;
  const known = findSurface(path);
  if (!known) notFound();
  const records = recordPages(tenant, path, await loadSearch(searchParams));
  return (
    <Prefetched
      reads={[prefetch(records, ({ ctx, query }) => listRecords(ctx, known.contracts, query))]}
    >
      <RecordList key={path} path={path} />
    </Prefetched>
  );
}
