import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { BatchPage } from "#components/reconciliations/entries/batch-page.tsx";
import { batchById, entryPages } from "#components/reconciliations/entries/queries.ts";
import { getEntryBatch } from "#lib/entries/get-entry-batch.ts";
import { listEntries } from "#lib/entries/list-entries.ts";

export const metadata: Metadata = { title: "Entry batch" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(batchById(tenant, id), ({ ctx, params: known }) => getEntryBatch(ctx, known.id), {
      required: true,
    }),
    prefetch(entryPages(tenant, id), ({ ctx, query }) => listEntries(ctx, id, query)),
  ];
  return (
    <Prefetched reads={reads}>
      <BatchPage id={id} />
    </Prefetched>
  );
}
