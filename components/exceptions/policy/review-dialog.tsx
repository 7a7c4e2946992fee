"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import { ApiProblem, callApiWithTag } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { putSlaPolicyContract, type slaPolicyChange } from "#lib/exceptions/sla/contract.ts";
import { exceptionsKey } from "../queries.ts";
import { SEVERITY_WORDS } from "../words.tsx";
import { changesOf, type PolicyVersion, type policyOf } from "./draft.ts";
import { pausesInWords } from "./pauses-in-words.ts";
import { calendarsQuery, slaPolicy } from "./queries.ts";
import { inWords } from "./span.ts";

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
  const save = useAttempt({
    send: () => callApiWithTag(putSlaPolicyContract, { tenant, body: after, ifMatch: before.etag }),
    onDone: ({ data: { impact: _, dry_run: __, ...data }, etag }) => {
      cache.setQueryData(slaPolicy(tenant).queryKey, { data, etag });
      onSaved({ data, etag });
      toast("SLA policy saved");
    },
    onRefused: (error) => error instanceof ApiProblem && error.status === 412 && onOvertaken(error),
    stale: exceptionsKey(tenant),
  });
  const { severities, thresholds, calendar, pauses } = changesOf(before.data, after);
  const calendars = useQuery({ ...calendarsQuery(tenant), enabled: calendar }).data?.items ?? [];
  const calendarName = (id: string | null | undefined) => (id ? (calendars.find((one) => one.id === id)?.name ?? id) : "Round the clock");
  return (
    <Dialog onClose={onClose} held={save.isPending} title="Change the SLA policy" description="Nothing changes until you save.">
      <DialogBody>
        <table className="w-full text-sm">
          <caption className="sr-only">What changes</caption>
          <thead className="text-left text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-1.5 font-medium">
                <span className="sr-only">Setting</span>
              </th>
              <th scope="col" className="py-1.5 font-medium">
                Now
              </th>
              <th scope="col" className="py-1.5 font-medium">
                After
              </th>
            </tr>
          </thead>
          <tbody>
            {severities.map((severity) => (
              <Change
                key={severity}
                name={SEVERITY_WORDS[severity]}
                before={inWords(before.data.minutes_to_resolve[severity])}
                after={inWords(after.minutes_to_resolve[severity])}
              />
            ))}
            {thresholds && (
              <Change
                name="Warnings"
                before={before.data.at_risk_thresholds.map(inWords).join(", ")}
                after={after.at_risk_thresholds.map(inWords).join(", ")}
              />
            )}
            {calendar && <Change name="Calendar" before={calendarName(before.data.calendar_id)} after={calendarName(after.calendar_id)} />}
            {pauses && <Change name="Pauses" before={pausesInWords(before.data.pause)} after={pausesInWords(after.pause)} />}
          </tbody>
        </table>
        <ImpactOf {...impact} />
        {thresholds && (
          <p className="text-sm text-muted">
            Upcoming warnings are rescheduled for every open exception. Warnings already sent aren't sent again.
          </p>
        )}
        {save.error && <ProblemNote error={save.error} />}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose} disabled={save.isPending}>
          Keep editing
        </Button>
        <Button variant="primary" disabled={save.isPending} onClick={() => save.start()}>
          {save.isPending ? "Saving…" : "Save policy"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Change({ name, before, after }: { name: string; before: string; after: string }) {
  return (
    <tr className="border-b border-line align-top">
      <th scope="row" className="py-1.5 pr-3 text-left font-medium">
        {name}
      </th>
      <td className="py-1.5 pr-3 text-muted">{before}</td>
      <td className="py-1.5">{after}</td>
    </tr>
  );
}

function ImpactOf({ changed, earlier, later, newly_breached, no_longer_breached, by_severity }: Impact) {
  if (changed === 0) {
    return <Note tone="info">No open exception's deadline changes. New exceptions use the new policy.</Note>;
  }
  return (
    <section aria-label="Open exceptions that change" className="flex flex-col gap-3">
      <p className="text-sm">
        <strong>
          {counted(changed)} {changed === 1 ? "gets" : "get"} a new deadline
        </strong>
        : those whose deadline came from this policy. Deadlines set by hand don't change.
      </p>
      <dl className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        <Count name="Earlier" value={earlier} />
        <Count name="Later" value={later} />
        <Count name="Newly breached" value={newly_breached} risk={newly_breached > 0 ? "breached" : undefined} />
        <Count name="No longer breached" value={no_longer_breached} risk={no_longer_breached > 0 ? "low" : undefined} />
      </dl>
      <p className="text-sm text-muted">
        {SEVERITIES.filter((severity) => by_severity[severity] > 0)
          .map((severity) => `${by_severity[severity].toLocaleString("en")} ${SEVERITY_WORDS[severity].toLowerCase()}`)
          .join(", ")}
      </p>
    </section>
  );
}

function Count({ name, value, risk }: { name: string; value: number; risk?: "breached" | "low" | undefined }) {
  return (
    <div data-risk={risk} className="rounded-md border border-line px-3 py-2">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={`text-lg font-semibold tabular-nums ${risk ? "text-risk-text" : ""}`}>{value.toLocaleString("en")}</dd>
    </div>
  );
}

function counted(count: number): string {
  return `${count.toLocaleString("en")} open ${count === 1 ? "exception" : "exceptions"}`;
}
