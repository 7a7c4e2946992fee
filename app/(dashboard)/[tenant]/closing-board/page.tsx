import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { ClosingBoard } from "#components/reconciliations/closing-board/closing-board.tsx";
import { boardPages } from "#components/reconciliations/closing-board/queries.ts";
import { boardSearch } from "#components/reconciliations/closing-board/search.ts";
import { getClosingBoard } from "#lib/matching/closing-board/get-closing-board.ts";

export const metadata: Metadata = { title: "Month" };

const loadSearch = createLoader(boardSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant } = await params;
  const { to } = await loadSearch(searchParams);
  const thisMonth = new Date().toISOString().slice(0, 7);
  const board = boardPages(tenant, to ?? thisMonth);
  return (
    <Prefetched reads={[prefetch(board, ({ ctx, query }) => getClosingBoard(ctx, query))]}>
      <ClosingBoard thisMonth={thisMonth} />
    </Prefetched>
  );
}
