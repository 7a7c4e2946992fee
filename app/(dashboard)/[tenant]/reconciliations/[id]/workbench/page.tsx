import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { reconciliationById } from "#components/reconciliations/queries.ts";
import { decisionsOf, openLinePages } from "#components/reconciliations/workbench/queries.ts";
import { workbenchSearch } from "#components/reconciliations/workbench/search.ts";
import { WorkbenchPage } from "#components/reconciliations/workbench/workbench-page.tsx";
import { listDecisions } from "#lib/matching/workbench/list-decisions.ts";
import { listOpenLines } from "#lib/matching/workbench/list-open-lines.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Workbench" };

const loadSearch = createLoader(workbenchSearch);

type Props = {
  params: Promise<{ tenant: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function Page({ params, searchParams }: Props) {
  const { tenant, id } = await params;
  const { line: _, ...filters } = await loadSearch(searchParams);
  const reads = [
    prefetch(
      reconciliationById(tenant, id),
      ({ ctx, params: known }) => getReconciliation(ctx, known.id),
      { required: true },
    ),
    ...(["left", "right"] as const).map((side) =>
      prefetch(openLinePages(tenant, id, side, filters), ({ ctx, query }) =>
        listOpenLines(ctx, id, query),
      ),
    ),
  ];
  // The page reports the decisions that other people make after this moment.
  reads.push(prefetch(decisionsOf(tenant, id), ({ ctx, query }) => listDecisions(ctx, id, query)));
  return (
    <Prefetched reads={reads}>
      <WorkbenchPage id={id} />
    </Prefetched>
  );
}
