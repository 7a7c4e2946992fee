import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { MatchesPage } from "#components/reconciliations/matches/matches-page.tsx";
import { matchSearch } from "#components/reconciliations/matches/search.ts";
import { matchPages, reconciliationById } from "#components/reconciliations/queries.ts";
import { listMatches } from "#lib/matching/list-matches.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Matches" };

const loadSearch = createLoader(matchSearch);

type Props = {
  params: Promise<{ tenant: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function Page({ params, searchParams }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(
      reconciliationById(tenant, id),
      ({ ctx, params: requested }) => getReconciliation(ctx, requested.id),
      { required: true },
    ),
    prefetch(
      matchPages(tenant, id, await loadSearch(searchParams)),
      ({ ctx, params: requested, query }) => listMatches(ctx, requested.id, query),
    ),
  ];
  return (
    <Prefetched reads={reads}>
      <MatchesPage id={id} />
    </Prefetched>
  );
}
