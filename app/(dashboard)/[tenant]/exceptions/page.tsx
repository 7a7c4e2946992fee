import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { reportPeriod } from "#components/exceptions/board/report-period.ts";
import { boardSearch } from "#components/exceptions/board/search.ts";
import { SlaBoard } from "#components/exceptions/board/sla-board.tsx";
import { breachesPerDay, timeToBreach } from "#components/exceptions/board/sla-queries.ts";
import { boardPages, facetsOf, pastPages } from "#components/exceptions/queries.ts";
import { viewsQuery } from "#components/exceptions/views/queries.ts";
import { listExceptions } from "#lib/exceptions/list-exceptions.ts";
import { listSlaExceptions } from "#lib/exceptions/list-sla-exceptions.ts";
import { getSlaReport } from "#lib/exceptions/report/get-sla-report.ts";
import { getSlaFacets } from "#lib/exceptions/sla/get-sla-facets.ts";
import { getTimeToBreach } from "#lib/exceptions/sla/get-time-to-breach.ts";
import { env } from "#lib/runtime/env.ts";
import { listViews } from "#lib/views/list-views.ts";

export const metadata: Metadata = { title: "Exceptions" };

const loadSearch = createLoader(boardSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function ExceptionsPage({ params, searchParams }: Props) {
  const { tenant } = await params;
  const search = await loadSearch(searchParams);
  const list =
    search.state === "open"
      ? prefetch(boardPages(tenant, search), ({ ctx, query }) => listSlaExceptions(ctx, query))
      : prefetch(pastPages(tenant, search), ({ ctx, query }) => listExceptions(ctx, query));
  return (
    <Prefetched
      reads={[
        list,
        prefetch(facetsOf(tenant, search), ({ ctx, query }) => getSlaFacets(ctx, query)),
        prefetch(viewsQuery(tenant), ({ ctx, query }) => listViews(ctx, query)),
        ...(search.charts && search.state === "open"
          ? [
              prefetch(timeToBreach(tenant), ({ ctx }) => getTimeToBreach(ctx)),
              prefetch(
                breachesPerDay(tenant, reportPeriod(new Date().toISOString())),
                ({ ctx, query }) => getSlaReport(ctx, query),
              ),
            ]
          : []),
      ]}
    >
      <SlaBoard origin={new URL(env().NEXTAUTH_URL).origin} />
    </Prefetched>
  );
}
