"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import { ApiProblem, callApiWithTag } from "#components/api-client.ts";
import { calendarsQuery } from "#components/kit/calendar-names.ts";
import { ChangeTable } from "#components/kit/change-table.tsx";
import { DeadlineImpact } from "#components/kit/deadline-impact.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { SaveDialog } from "#components/kit/save-dialog.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { putSlaPolicyContract, type slaPolicyChange } from "#lib/exceptions/sla/contract.ts";
import { SEVERITY_LABELS } from "../labels.tsx";
import { exceptionsKey } from "../queries.ts";
import { describePauses } from "./describe-pauses.ts";
import { changesOf, type PolicyVersion, type policyOf, warningsOf } from "./draft.ts";
import { slaPolicy } from "./queries.ts";
import { formatSpan } from "./span.ts";

export type Impact = z.output<typeof slaPolicyChange>["impact"];

type Props = {
  before: PolicyVersion;
  after: ReturnType<typeof policyOf>;
  impact: Impact;
  onClose: () => void;
  onSaved: (version: PolicyVersion) => void;
  /** Someone else saved first. */
  onOvertaken: (error: Error) => void;
};

/** Previews a change before it is saved. */
export function ReviewDialog({ before, after, impact, onClose, onSaved, onOvertaken }: Props) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const save = useMutate({
    send: () => callApiWithTag(putSlaPolicyContract, { tenant, body: after, ifMatch: before.etag }),
    onDone: ({ data: { impact: _, dry_run: __, ...data }, etag }) => {
      cache.setQueryData(slaPolicy(tenant).queryKey, { data, etag });
      onSaved({ data, etag });
      toast("SLA policy saved");
    },
    onRefused: (error) => error instanceof ApiProblem && error.status === 412 && onOvertaken(error),
    stale: exceptionsKey(tenant),
  });
  const { severities, thresholds, calendars: paced, pauses } = changesOf(before.data, after);
  const calendars =
    useQuery({ ...calendarsQuery(tenant), enabled: paced.length > 0 }).data?.items ?? [];
  const calendarName = (id: string | null) =>
    id ? (calendars.find((calendar) => calendar.id === id)?.name ?? id) : "Round the clock";
  const rows: [name: string, before: string, after: string][] = [
    ...severities.map((severity): [string, string, string] => [
      SEVERITY_LABELS[severity],
      formatSpan(before.data.minutes_to_resolve[severity]),
      formatSpan(after.minutes_to_resolve[severity]),
    ]),
    ...(thresholds
      ? [
          ["Warnings", warningsOf(before.data).join(", "), warningsOf(after).join(", ")] as [
            string,
            string,
            string,
          ],
        ]
      : []),
    ...pacedRows(paced).map(({ name, from, to }): [string, string, string] => [
      name,
      calendarName(from),
      calendarName(to),
    ]),
    ...(pauses
      ? [
          ["Pauses", describePauses(before.data.pause), describePauses(after.pause)] as [
            string,
            string,
            string,
          ],
        ]
      : []),
  ];
  return (
    <SaveDialog title="Change the SLA policy" save={save} label="Save policy" onClose={onClose}>
      <ChangeTable rows={rows} />
      <ImpactOf impact={impact} />
      {thresholds && (
        <p className="text-sm text-muted">
          Upcoming warnings are rescheduled for every open exception. Warnings already sent aren't
          sent again.
        </p>
      )}
    </SaveDialog>
  );
}

/** One row if every severity changes in the same way. */
function pacedRows(paced: ReturnType<typeof changesOf>["calendars"]) {
  const [first] = paced;
  const alike =
    paced.length === SEVERITIES.length &&
    paced.every(({ from, to }) => from === first?.from && to === first.to);
  if (first && alike) return [{ ...first, name: "Calendar" }];
  return paced.map((item) => ({
    ...item,
    name: `Calendar, ${SEVERITY_LABELS[item.severity].toLowerCase()}`,
  }));
}

function ImpactOf({ impact }: { impact: Impact }) {
  if (impact.changed === 0) {
    return (
      <Note tone="info">
        No open exception's deadline changes. New exceptions use the new policy.
      </Note>
    );
  }
  return (
    <>
      <DeadlineImpact
        {...impact}
        note=": those whose deadline came from this policy. Deadlines set by hand don't change."
      />
      <p className="text-sm text-muted">
        {SEVERITIES.filter((severity) => impact.by_severity[severity] > 0)
          .map(
            (severity) =>
              `${impact.by_severity[severity].toLocaleString("en")} ${SEVERITY_LABELS[severity].toLowerCase()}`,
          )
          .join(", ")}
      </p>
    </>
  );
}
