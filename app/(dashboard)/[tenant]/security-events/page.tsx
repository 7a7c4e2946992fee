import type { Metadata } from "next";
import { cookies } from "next/headers";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { readPreferences } from "#components/preferences/preferences.ts";
import { EventList } from "#components/security-events/event-list.tsx";
import { eventPages } from "#components/security-events/queries.ts";
import { eventQuery, eventSearch } from "#components/security-events/search.ts";
import { listSecurityEventsContract } from "#lib/security-events/contract.ts";
import { listSecurityEvents } from "#lib/security-events/list-security-events.ts";

export const metadata: Metadata = { title: "Security events" };

const loadSearch = createLoader(eventSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function SecurityEventsPage({ params, searchParams }: Props) {
  const { tenant } = await params;
  const sent = await cookies();
  const { timeZone } = readPreferences((name) => sent.get(name)?.value);
  const now = Date.now();
  const events = eventPages(tenant, eventQuery(await loadSearch(searchParams), timeZone, now));
  return (
    <Prefetched reads={[prefetch(events, ({ ctx, query }) => listSecurityEvents(ctx, query))]}>
      <RolePage
        access={listSecurityEventsContract.access}
        title="Security events"
        refusal={{
          title: "Admins view security events",
          reason: "They show who did what, and from where, for everyone in the tenant.",
          remedy: "Ask a tenant admin for the information you need or for the admin role.",
        }}
      >
        <EventList now={now} />
      </RolePage>
    </Prefetched>
  );
}
