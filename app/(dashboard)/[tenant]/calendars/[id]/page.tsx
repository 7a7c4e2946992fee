import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { CalendarPage } from "#components/calendars/calendar-page.tsx";
import { calendarById, policyOf, versionsOf } from "#components/calendars/queries.ts";
import { getCalendar } from "#lib/calendars/get-calendar.ts";
import { listCalendarVersions } from "#lib/calendars/list-calendar-versions.ts";
import { getSlaPolicy } from "#lib/exceptions/sla/get-sla-policy.ts";

export const metadata: Metadata = { title: "Calendar" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(calendarById(tenant, id), ({ ctx, params: known }) => getCalendar(ctx, known.id), {
      required: true,
    }),
    prefetch(versionsOf(tenant, id), ({ ctx, params: known, query }) =>
      listCalendarVersions(ctx, known.id, query),
    ),
    prefetch(policyOf(tenant), ({ ctx }) => getSlaPolicy(ctx)),
  ];
  return (
    <Prefetched reads={reads}>
      <CalendarPage id={id} today={new Date().toISOString().slice(0, 10)} />
    </Prefetched>
  );
}
