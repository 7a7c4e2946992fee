import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { reconciliationPagesQuery, reconciliationQuery } from "#components/reconciliations/queries.ts";
import { ReconciliationsPage } from "#components/reconciliations/reconciliations-page.tsx";
import { reconciliationSearch } from "#components/reconciliations/search.ts";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import { listReconciliations } from "#lib/reconciliations/list-reconciliations.ts";
import { pageTenant } from "../../page-tenant.ts";

export const metadata: Metadata = { title: "Reconciliations" };

const loadSearch = createLoader(reconciliationSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant: tenantId } = await params;
  const { roles } = await requireMember(tenantId);
  const search = await loadSearch(searchParams);
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchInfiniteQuery({
    ...reconciliationPagesQuery(tenantId, search),
    queryFn: async () => {
      const query = listReconciliationsContract.query.parse(reconciliationQuery(search));
      return (await askAsMember(tenantId, listReconciliationsContract, (ctx) => listReconciliations(ctx, query))).data;
    },
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <ReconciliationsPage tenant={await pageTenant(tenantId)} roles={roles} />
    </HydrationBoundary>
  );
}
