"use client";

import { useQuery } from "@tanstack/react-query";
import { AlarmClock, CalendarDays, Plus } from "lucide-react";
import Link from "next/link";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import { useList } from "#components/kit/use-list.ts";
import { zoneName } from "#components/preferences/time-zone.ts";
import { Badge } from "#components/ui/badge.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { type Calendar, createCalendarContract } from "#lib/calendars/contract.ts";
import { CalendarListSkeleton } from "./calendar-skeletons.tsx";
import { formatWeek, formatWorkingTime, weekMinutes } from "./hours.ts";
import { calendarPages, policyOf } from "./queries.ts";

const NUMBER = "whitespace-nowrap text-right tabular-nums";
const COLUMNS: readonly Column[] = [
  ["Name", "pl-4"],
  ["Time zone", "w-44 max-md:hidden"],
  ["Open a week", `${NUMBER} w-32 max-sm:hidden`],
  ["Special days", `${NUMBER} w-32 max-md:hidden`],
];

export function CalendarList() {
  const tenantId = useTenantId();
  const mayCreate = useIsAllowed(createCalendarContract.access);
  const list = useList(calendarPages(tenantId));
  const policy = useQuery(policyOf(tenantId)).data?.data;
  const used = new Set([policy?.calendar_id, ...Object.values(policy?.calendar_by_severity ?? {})]);
  const create = mayCreate && (
    <Link href={`/${tenantId}/calendars/new`} className={buttonClass({ variant: "primary" })}>
      <Plus aria-hidden className="size-4" />
      New calendar
    </Link>
  );
  return (
    <Page
      title="Calendars"
      actions={
        mayCreate ? (
          !list.isBare && create
        ) : (
          <p className="text-sm text-muted">View only. Ask an admin to make changes.</p>
        )
      }
    >
      <ListBody
        list={list}
        skeleton={<CalendarListSkeleton />}
        bare={
          <Notice icon={CalendarDays} title="No calendars yet" action={create}>
            A calendar says when your team works. Deadlines that use it don't count nights, weekends
            or holidays. {!mayCreate && "An admin can create the first one."}
          </Notice>
        }
      >
        {() => (
          <PlainTable caption="Calendars" columns={COLUMNS} stale={list.isStale}>
            {list.items.map((calendar) => (
              <CalendarRow
                key={calendar.id}
                calendar={calendar}
                href={`/${tenantId}/calendars/${calendar.id}`}
                used={used.has(calendar.id)}
              />
            ))}
          </PlainTable>
        )}
      </ListBody>
    </Page>
  );
}

function CalendarRow({
  calendar,
  href,
  used,
}: {
  calendar: Calendar;
  href: string;
  used: boolean;
}) {
  const { name, time_zone, weekly, special_days } = calendar;
  return (
    <PlainRow>
      <PlainCell className="min-w-0 flex-1 pl-4">
        <div className="flex items-center gap-2">
          <RowLink to={href}>{name}</RowLink>
          {used && (
            <Badge tone="info" icon={AlarmClock}>
              SLA policy
            </Badge>
          )}
        </div>
        <p className="truncate text-muted">{formatWeek(weekly)}</p>
      </PlainCell>
      <PlainCell className="truncate max-md:hidden">{zoneName(time_zone)}</PlainCell>
      <PlainCell className={`${NUMBER} max-sm:hidden`}>
        {formatWorkingTime(weekMinutes(weekly))}
      </PlainCell>
      <PlainCell className={`${NUMBER} max-md:hidden`}>
        {special_days.length.toLocaleString("en")}
      </PlainCell>
    </PlainRow>
  );
}
