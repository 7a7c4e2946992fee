import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { slaPagesQuery, slaQuery } from "#components/exceptions/queries.ts";
import { boardSearch } from "#components/exceptions/search.ts";
import { SlaBoard } from "#components/exceptions/sla-board.tsx";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { actorOf } from "#lib/auth/principal.ts";
import { listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { listSlaExceptions } from "#lib/exceptions/list-sla-exceptions.ts";
import { env } from "#lib/runtime/env.ts";
import { pageTenant } from "../page-tenant.ts";

export const metadata: Metadata = { title: "Exceptions" };

const loadSearch = createLoader(boardSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function ExceptionsPage({ params, searchParams }: Props) {
  const { tenant: tenantId } = await params;
  const member = await requireMember(tenantId);
  const search = await loadSearch(searchParams);
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchInfiniteQuery({
    ...slaPagesQuery(tenantId, search),
    queryFn: async () => {
      const query = listSlaExceptionsContract.query.parse(slaQuery(search));
      return (await askAsMember(tenantId, listSlaExceptionsContract, (ctx) => listSlaExceptions(ctx, query))).data;
    },
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <SlaBoard tenant={await pageTenant(tenantId)} self={actorOf(member)} origin={new URL(env().NEXTAUTH_URL).origin} />
    </HydrationBoundary>
  );
}
