import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { importPages } from "#components/sources/imports/queries.ts";
import { latestLines } from "#components/sources/lines/queries.ts";
import { sourceById } from "#components/sources/queries.ts";
import { SourcePage } from "#components/sources/source-page.tsx";
import { listImports } from "#lib/imports/list-imports.ts";
import { listLines } from "#lib/lines/list-lines.ts";
import { getSource } from "#lib/sources/get-source.ts";

export const metadata: Metadata = { title: "Source" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(sourceById(tenant, id), ({ ctx, params: known }) => getSource(ctx, known.id), {
      required: true,
    }),
    prefetch(importPages(tenant, id), ({ ctx, query }) => listImports(ctx, query)),
    prefetch(latestLines(tenant, id), ({ ctx, query }) => listLines(ctx, query)),
  ];
  return (
    <Prefetched reads={reads}>
      <SourcePage id={id} />
    </Prefetched>
  );
}
