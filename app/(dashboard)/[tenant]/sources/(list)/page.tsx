import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { sourcePages } from "#components/sources/queries.ts";
import { sourceSearch } from "#components/sources/search.ts";
import { SourceList } from "#components/sources/source-list.tsx";
import { listSources } from "#lib/sources/list-sources.ts";

export const metadata: Metadata = { title: "Sources" };

const loadSearch = createLoader(sourceSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant } = await params;
  const sources = sourcePages(tenant, await loadSearch(searchParams));
  return (
    <Prefetched reads={[prefetch(sources, ({ ctx, query }) => listSources(ctx, query))]}>
      <SourceList />
    </Prefetched>
  );
}
