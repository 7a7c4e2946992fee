"use client";

import { useQuery } from "@tanstack/react-query";
import { useMember } from "#components/kit/member.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { Note } from "#components/ui/note.tsx";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { SeverityLabel } from "../words.tsx";
import type { Policy } from "./draft.ts";
import { pausesInWords } from "./pauses-in-words.ts";
import { PolicyCard } from "./policy-card.tsx";
import { calendarsQuery } from "./queries.ts";
import { inWords } from "./span.ts";

/** The policy, read-only, and who can change it. */
export function PolicyView({ policy }: { policy: Policy }) {
  const { roles, tenant } = useMember();
  const { data } = useQuery({ ...calendarsQuery(tenant.id), enabled: policy.calendar_id !== null });
  const calendar = data?.items.find(({ id }) => id === policy.calendar_id);
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <Note tone="info">Only admins and leads can change this policy. You are signed in as {roleNames(roles)}.</Note>
      <PolicyCard title="Time to resolve" hint="Used when an exception arrives without a due date.">
        <dl className="flex flex-col gap-2 text-sm">
          {SEVERITIES.map((severity) => (
            <div key={severity} className="flex items-center gap-3">
              <dt className="w-28">
                <SeverityLabel severity={severity} />
              </dt>
              <dd className="font-medium tabular-nums">{inWords(policy.minutes_to_resolve[severity])}</dd>
            </div>
          ))}
        </dl>
      </PolicyCard>
      <PolicyCard title="At-risk warnings" hint="When to send exception.sla.at_risk to your webhooks, before a deadline.">
        <ul className="flex flex-col gap-2 text-sm font-medium tabular-nums">
          {policy.at_risk_thresholds.map((minutes) => (
            <li key={minutes}>{inWords(minutes)} before</li>
          ))}
        </ul>
      </PolicyCard>
      <PolicyCard title="Calendar" hint="Whose open hours the time to resolve counts.">
        <p className="text-sm font-medium">{policy.calendar_id ? (calendar?.name ?? policy.calendar_id) : "Round the clock"}</p>
      </PolicyCard>
      <PolicyCard title="Pauses" hint="How long and how often a clock may be paused, and what pauses it.">
        <p className="text-sm font-medium">{pausesInWords(policy.pause)}</p>
      </PolicyCard>
    </div>
  );
}
