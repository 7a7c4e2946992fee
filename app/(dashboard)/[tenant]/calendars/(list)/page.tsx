import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { CalendarList } from "#components/calendars/calendar-list.tsx";
import { calendarPages, policyOf } from "#components/calendars/queries.ts";
import { listCalendars } from "#lib/calendars/list-calendars.ts";
import { getSlaPolicy } from "#lib/exceptions/sla/get-sla-policy.ts";

export const metadata: Metadata = { title: "Calendars" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Page({ params }: Props) {
  const { tenant } = await params;
  const reads = [
    prefetch(calendarPages(tenant), ({ ctx, query }) => listCalendars(ctx, query)),
    prefetch(policyOf(tenant), ({ ctx }) => getSlaPolicy(ctx)),
  ];
  return (
    <Prefetched reads={reads}>
      <CalendarList />
    </Prefetched>
  );
}
