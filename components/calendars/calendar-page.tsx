"use client";

import { useQuery } from "@tanstack/react-query";
import { isRefusal } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { createCalendarContract, putCalendarContract } from "#lib/calendars/contract.ts";
import { CreateCalendar, EditCalendar } from "./calendar-form.tsx";
import { CalendarSkeleton } from "./calendar-skeletons.tsx";
import { CalendarUsage } from "./calendar-usage.tsx";
import { CalendarView } from "./calendar-view.tsx";
import { calendarById } from "./queries.ts";

const PARENT = { name: "Calendars", path: "calendars" };

/** `today`: YYYY-MM-DD, from which the year ahead is shown. */
export function CalendarPage({ id, today }: { id: string; today: string }) {
  const { data: stored, error, refetch } = useQuery(calendarById(useTenantId(), id));
  const mayChange = useIsAllowed(putCalendarContract.access);
  const isShown = stored && !(error && isRefusal(error));
  return (
    <Page
      parent={PARENT}
      title={stored?.data.name ?? "Calendar"}
      actions={
        isShown && (
          <p className="text-sm text-muted">
            {mayChange ? "Last changed " : "View only. Last changed "}
            <ActorName iso={stored.data.updated_at} actor={stored.data.updated_by} />
          </p>
        )
      }
    >
      {isShown ? (
        <div className="flex flex-col gap-4">
          {mayChange ? (
            <EditCalendar stored={stored} today={today} />
          ) : (
            <CalendarView calendar={stored.data} today={today} />
          )}
          <CalendarUsage id={id} />
        </div>
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <CalendarSkeleton />
      )}
    </Page>
  );
}

const REFUSAL = {
  title: "Calendars are created by admins",
  reason: "A calendar moves deadlines.",
  remedy: "Ask an admin to create one.",
};

export function NewCalendarPage({ today }: { today: string }) {
  return (
    <RolePage access={createCalendarContract.access} title="New calendar" refusal={REFUSAL}>
      <Page parent={PARENT} title="New calendar">
        <CreateCalendar today={today} />
      </Page>
    </RolePage>
  );
}
