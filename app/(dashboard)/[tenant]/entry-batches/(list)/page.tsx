import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { BatchList } from "#components/reconciliations/entries/batch-list.tsx";
import { batchPages } from "#components/reconciliations/entries/queries.ts";
import { batchSearch } from "#components/reconciliations/entries/search.ts";
import { listEntryBatches } from "#lib/entries/list-entry-batches.ts";

export const metadata: Metadata = { title: "Ledger entries" };

const loadSearch = createLoader(batchSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant } = await params;
  const batches = batchPages(tenant, await loadSearch(searchParams));
  return (
    <Prefetched reads={[prefetch(batches, ({ ctx, query }) => listEntryBatches(ctx, query))]}>
      <BatchList />
    </Prefetched>
  );
}
