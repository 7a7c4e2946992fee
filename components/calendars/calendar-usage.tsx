"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Card } from "#components/kit/card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { zoneName } from "#components/preferences/time-zone.ts";
import type { CalendarVersion } from "#lib/calendars/contract.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { formatWorkingTime, weekMinutes } from "./hours.ts";
import { policyOf, versionsOf } from "./queries.ts";

const LIST = new Intl.ListFormat("en");

/** What uses a calendar, and its versions. */
export function CalendarUsage({ id }: { id: string }) {
  const tenant = useTenantId();
  const policy = useQuery(policyOf(tenant)).data?.data;
  const versions = useQuery(versionsOf(tenant, id));
  const severities = policy
    ? SEVERITIES.filter((severity) => calendarOf(policy, severity) === id)
    : [];
  return (
    <div className="grid gap-4 @4xl:grid-cols-2 @4xl:items-start">
      <Card title="Used by">
        <p className="text-sm">
          {policy === undefined ? (
            <span className="text-muted">Loading…</span>
          ) : severities.length === 0 ? (
            "No severity uses this calendar yet."
          ) : severities.length === SEVERITIES.length ? (
            "Exceptions of every severity."
          ) : (
            `Exceptions of severity ${LIST.format(severities)}.`
          )}{" "}
          <Link
            href={`/${tenant}/sla-policy`}
            className="text-accent-text underline underline-offset-2"
          >
            SLA policy
          </Link>
        </p>
      </Card>
      <Card
        title="Versions"
        hint="Changing the hours creates a new version. Deadlines keep the version they were set with."
      >
        {versions.data ? (
          <ul aria-label="Versions" className="divide-y divide-line text-sm">
            {versions.data.items.map((version) => (
              <VersionLine key={version.calendar_version} version={version} />
            ))}
            {versions.data.next_cursor && (
              <li className="pt-2 text-muted">Older versions are in the API.</li>
            )}
          </ul>
        ) : versions.error ? (
          <ProblemNotice error={versions.error} onRetry={() => versions.refetch()} />
        ) : (
          <PartSkeleton label="Loading versions" bars={["h-10 w-full", "h-10 w-5/6"]} />
        )}
      </Card>
    </div>
  );
}

function VersionLine({
  version: {
    calendar_version,
    time_zone,
    weekly,
    special_day_count,
    open_exceptions,
    created_at,
    created_by,
  },
}: {
  version: CalendarVersion;
}) {
  return (
    <li className="flex flex-col gap-0.5 py-2 first:pt-0">
      <span className="flex flex-wrap justify-between gap-x-4">
        <span className="font-medium">Version {calendar_version}</span>
        <span className="text-muted tabular-nums">
          {open_exceptions.toLocaleString("en")} open{" "}
          {open_exceptions === 1 ? "exception" : "exceptions"}
        </span>
      </span>
      <span className="text-muted">
        {formatWorkingTime(weekMinutes(weekly))} a week, {special_day_count} special{" "}
        {special_day_count === 1 ? "day" : "days"}, {zoneName(time_zone)}
      </span>
      <span className="text-muted">
        <ActorName iso={created_at} actor={created_by} />
      </span>
    </li>
  );
}

function calendarOf(
  {
    calendar_id,
    calendar_by_severity,
  }: { calendar_id: string | null; calendar_by_severity: Partial<Record<string, string | null>> },
  severity: string,
): string | null {
  const own = calendar_by_severity[severity];
  return own === undefined ? calendar_id : own;
}
