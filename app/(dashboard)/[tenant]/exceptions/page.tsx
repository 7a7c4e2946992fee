import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { boardPages } from "#components/exceptions/queries.ts";
import { boardSearch } from "#components/exceptions/search.ts";
import { SlaBoard } from "#components/exceptions/sla-board.tsx";
import { listSlaExceptions } from "#lib/exceptions/list-sla-exceptions.ts";
import { env } from "#lib/runtime/env.ts";

export const metadata: Metadata = { title: "Exceptions" };

const loadSearch = createLoader(boardSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function ExceptionsPage({ params, searchParams }: Props) {
  const { tenant } = await params;
  const board = boardPages(tenant, await loadSearch(searchParams));
  return (
    <Prefetched reads={[prefetch(board, ({ ctx, query }) => listSlaExceptions(ctx, query))]}>
      <SlaBoard origin={new URL(env().NEXTAUTH_URL).origin} />
    </Prefetched>
  );
}
