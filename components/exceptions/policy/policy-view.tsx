"use client";

import { useQuery } from "@tanstack/react-query";
import { calendarsQuery } from "#components/kit/calendar-names.ts";
import { useMember } from "#components/kit/member.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { Note } from "#components/ui/note.tsx";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { type Severity, SeverityLabel } from "../labels.tsx";
import { describePauses } from "./describe-pauses.ts";
import { calendarOf, type Policy, warningsOf } from "./draft.ts";
import { PolicyCard } from "./policy-card.tsx";
import { formatSpan } from "./span.ts";

/** The policy, read-only, and who can change it. */
export function PolicyView({ policy }: { policy: Policy }) {
  const { roles, tenant } = useMember();
  const named = new Set(SEVERITIES.map((severity) => calendarOf(policy, severity)));
  const { data } = useQuery({
    ...calendarsQuery(tenant.id),
    enabled: [...named].some((id) => id !== null),
  });
  const calendarName = (id: string | null) =>
    id ? (data?.items.find((item) => item.id === id)?.name ?? id) : "Round the clock";
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <Note tone="info">
        Only admins and leads can change this policy. You are signed in as {roleNames(roles)}.
      </Note>
      <PolicyCard title="Time to resolve" hint="Used when an exception arrives without a due date.">
        <BySeverity>{(severity) => formatSpan(policy.minutes_to_resolve[severity])}</BySeverity>
      </PolicyCard>
      <PolicyCard
        title="At-risk warnings"
        hint="When to send exception.sla.at_risk to your webhooks, before a deadline."
      >
        <ul className="flex flex-col gap-2 text-sm font-medium tabular-nums">
          {warningsOf(policy).map((warning) => (
            <li key={warning}>{warning} before</li>
          ))}
        </ul>
      </PolicyCard>
      <PolicyCard title="Calendar" hint="The time to resolve counts its open hours only.">
        {named.size === 1 ? (
          <p className="text-sm font-medium">{calendarName(calendarOf(policy, "critical"))}</p>
        ) : (
          <BySeverity>{(severity) => calendarName(calendarOf(policy, severity))}</BySeverity>
        )}
      </PolicyCard>
      <PolicyCard
        title="Pauses"
        hint="How long and how often a clock may be paused, and what pauses it."
      >
        <p className="text-sm font-medium">{describePauses(policy.pause)}</p>
      </PolicyCard>
    </div>
  );
}

function BySeverity({ children }: { children: (severity: Severity) => string }) {
  return (
    <dl className="flex flex-col gap-2 text-sm">
      {SEVERITIES.map((severity) => (
        <div key={severity} className="flex items-center gap-3">
          <dt className="w-28 shrink-0">
            <SeverityLabel severity={severity} />
          </dt>
          <dd className="min-w-0 font-medium wrap-break-word tabular-nums">{children(severity)}</dd>
        </div>
      ))}
    </dl>
  );
}
