import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { reconciliationPages } from "#components/reconciliations/queries.ts";
import { ReconciliationList } from "#components/reconciliations/reconciliation-list.tsx";
import { reconciliationSearch } from "#components/reconciliations/search.ts";
import { listReconciliations } from "#lib/reconciliations/list-reconciliations.ts";

export const metadata: Metadata = { title: "Reconciliations" };

const loadSearch = createLoader(reconciliationSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant } = await params;
  const reconciliations = reconciliationPages(tenant, await loadSearch(searchParams));
  return (
    <Prefetched
      reads={[prefetch(reconciliations, ({ ctx, query }) => listReconciliations(ctx, query))]}
    >
      <ReconciliationList />
    </Prefetched>
  );
}
