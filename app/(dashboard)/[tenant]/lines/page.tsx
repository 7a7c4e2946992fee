import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { sourcesNamed } from "#components/kit/source-names.ts";
import { LinesPage } from "#components/sources/lines/lines-page.tsx";
import { linePages } from "#components/sources/lines/queries.ts";
import { lineSearch } from "#components/sources/lines/search.ts";
import { listLines } from "#lib/lines/list-lines.ts";
import { listSources } from "#lib/sources/list-sources.ts";

export const metadata: Metadata = { title: "Lines" };

const loadSearch = createLoader(lineSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant } = await params;
  const reads = [
    prefetch(linePages(tenant, await loadSearch(searchParams)), ({ ctx, query }) =>
      listLines(ctx, query),
    ),
    prefetch(sourcesNamed(tenant, ""), ({ ctx, query }) => listSources(ctx, query)),
  ];
  return (
    <Prefetched reads={reads}>
      <LinesPage />
    </Prefetched>
  );
}
