import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { cookies } from "next/headers";
import { createLoader, type SearchParams } from "nuqs/server";
import { EventsForAdmins } from "#components/security-events/events-empty.tsx";
import { eventPagesQuery, PAGE_SIZE } from "#components/security-events/queries.ts";
import { eventQuery, eventSearch } from "#components/security-events/search.ts";
import { SecurityEvents } from "#components/security-events/security-events.tsx";
import { roleNames } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { readPreferences } from "#components/shell/preferences.ts";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { listSecurityEventsContract } from "#lib/security-events/contract.ts";
import { listSecurityEvents } from "#lib/security-events/list-security-events.ts";
import { allows } from "#lib/wire/access.ts";
import { pageTenant } from "../page-tenant.ts";

export const metadata: Metadata = { title: "Security events" };

const loadSearch = createLoader(eventSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function SecurityEventsPage({ params, searchParams }: Props) {
  const { tenant: tenantId } = await params;
  const member = await requireMember(tenantId);
  const tenant = await pageTenant(tenantId);
  if (!allows(listSecurityEventsContract.access, member)) {
    return (
      <>
        <PageHeader tenantName={tenant.name} title="Security events" />
        <EventsForAdmins tenantId={tenantId} roles={roleNames(member.roles)} />
      </>
    );
  }
  const sent = await cookies();
  const { timeZone } = readPreferences((name) => sent.get(name)?.value);
  const now = Date.now();
  const query = eventQuery(await loadSearch(searchParams), timeZone, now);
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchInfiniteQuery({
    ...eventPagesQuery(tenantId, query),
    queryFn: async () => {
      const parsed = listSecurityEventsContract.query.parse({ ...query, limit: PAGE_SIZE });
      return (await askAsMember(tenantId, listSecurityEventsContract, (ctx) => listSecurityEvents(ctx, parsed))).data;
    },
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <SecurityEvents tenant={tenant} now={now} />
    </HydrationBoundary>
  );
}
